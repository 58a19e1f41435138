# Reloads: the zone is kept, requests in flight end well.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: SIGHUP keeps the zone
--- workers: 2
--- check
my $etag = fetch('/clip.mp4/v1/1.m4s')->{headers}{etag};
my $before = status_page();
is($before->{index}{builds}, 1, 'built');

for my $round (1 .. 3) {
    my %old = map { $_ => 1 } worker_pids();
    kill 'HUP', nginx_pid();
    ok(wait_for(sub {
        my @now = worker_pids();
        return @now == 2 && !grep { $old{$_} } @now;
    }, 30), "reload $round");

    my $answer = fetch('/clip.mp4/v1/1.m4s');
    is($answer->{status}, 200, 'served');
    is($answer->{headers}{etag}, $etag, 'the same tag');
    is(status_page()->{index}{builds}, 1, 'not built again');
}
cmp_ok(status_page()->{index}{hits}, '>=', $before->{index}{hits} + 3,
       'counters are kept');


=== TEST 2: another size starts an empty zone
--- http_config
vod_zone 8m;
--- check
fetch('/clip.mp4/v1/1.m4s');
is(status_page()->{zone}{size}, 8 << 20, 'before');
my $conf = "$ENV{TEST_NGINX_SERVROOT}/conf/nginx.conf";
my $text = slurp($conf);
$text =~ s/vod_zone 8m;/vod_zone 16m;/ or die;
write_file($conf, $text);
my %old = map { $_ => 1 } worker_pids();
kill 'HUP', nginx_pid();
wait_for(sub { my @now = worker_pids(); return @now && !grep { $old{$_} } @now },
         30);
is(status_page()->{zone}{size}, 16 << 20, 'after');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'served');
is(status_page()->{index}{builds}, 1, 'built in the new one');


=== TEST 3: a bad configuration keeps the old one
--- check
fetch('/clip.mp4/v1/1.m4s');
my $conf = "$ENV{TEST_NGINX_SERVROOT}/conf/nginx.conf";
my $text = slurp($conf);
write_file($conf, $text =~ s/vod_segment_duration 1s/vod_segment_duration 1h/r);
my @old = worker_pids();
kill 'HUP', nginx_pid();
is(scalar(log_lines(qr/\[emerg\].*vod_segment_duration/, 1)), 1, 'refused');
is("@{[worker_pids()]}", "@old", 'the workers stay');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'served');
write_file($conf, $text);
--- allow_log: vod_segment_duration


=== TEST 4: segments in flight outlive a reload
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 sndbuf=16k;
location / {
    vod on;
    vod_segment_duration 60s;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
my $url = '/long.mp4/v1/1.m4s';
my $whole = fetch($url)->{content};
my @sockets;
for (1 .. 8) {
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_PORT_1}, Proto => 'tcp',
        Sockopts => [[Socket::SOL_SOCKET(), Socket::SO_RCVBUF(),
                      pack 'i', 4096]]) or die;
    print $socket "GET $url HTTP/1.0\r\n\r\n";
    $socket->flush;
    sysread $socket, my $some, 10;
    push @sockets, [$socket, $some];
}
my %old = map { $_ => 1 } worker_pids();
kill 'HUP', nginx_pid();
wait_for(sub { grep { !$old{$_} } worker_pids() }, 30);
is(status_page()->{in_flight}, 8, 'the new worker sees them in flight');
my $bad = 0;
for my $pair (@sockets) {
    my ($socket, $all) = @$pair;
    while (sysread $socket, my $some, 65536) {
        $all .= $some;
    }
    my (undef, $body) = split /\r\n\r\n/, $all, 2;
    $bad++ if $body ne $whole;
}
is($bad, 0, 'all whole');
ok(wait_for(sub { !grep { $old{$_} } worker_pids() }, 30),
   'the old workers end');


=== TEST 5: builds in flight outlive a reload
--- workers: 2
--- setup
for my $n (1 .. 20) {
    copy_file("$VodTest::Fixtures/long.mp4", files_dir() . "/r$n.mp4");
    utime 1500000000 + $n, 1500000000 + $n, files_dir() . "/r$n.mp4";
}
--- check
my @sockets;
for my $n (1 .. 20) {
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
    print $socket "GET /r$n.mp4/v1/1.m4s HTTP/1.0\r\n\r\n";
    $socket->flush;
    push @sockets, $socket;
}
my %old = map { $_ => 1 } worker_pids();
kill 'HUP', nginx_pid();
my $good = 0;
for my $socket (@sockets) {
    local $/;
    my $all = <$socket> // '';
    $good++ if $all =~ m{^HTTP/1\.1 200};
}
is($good, 20, 'all are served');
ok(wait_for(sub { !grep { $old{$_} } worker_pids() }, 30),
   'the old workers end');
is(status_page()->{waiting}, 0, 'nobody waits');
is(fetch("/r$_.mp4/v1/2.m4s")->{status}, 200, "r$_ afterwards") for 1, 20;


=== TEST 6: workers that are killed with builds at any stage
--- workers: 2
--- setup
for my $n (1 .. 10) {
    copy_file("$VodTest::Fixtures/long.mp4", files_dir() . "/k$n.mp4");
    utime 1400000000 + $n, 1400000000 + $n, files_dir() . "/k$n.mp4";
}
--- check
for my $n (1 .. 10) {
    my %old = map { $_ => 1 } worker_pids();
    my ($socket) = ask_all("/k$n.mp4/v1/1.m4s");
    kill 'KILL', keys %old;
    close $socket;
    wait_for(sub {
        my @now = worker_pids();
        return @now == 2 && !grep { $old{$_} } @now;
    }, 30);
    is(fetch("/k$n.mp4/v1/1.m4s")->{status}, 200, "file $n");
}
--- allow_log: exited\ on\ signal\ 9|\[alert\].*(?:worker\ process|shared\ memory\ zone)
