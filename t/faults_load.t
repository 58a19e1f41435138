# Many clients at once: one index for all of them, memory that does not grow
# with them beyond a bound, 503 where there are too many, and none afterwards.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;

BEGIN {
    my $files = `bash -c 'ulimit -n'` + 0;
    skip_suite("of $files open files, 2,200 are wanted")
        if $files < 2200;
}

use Test::Nginx::Socket 'no_plan';

$Test::Nginx::Util::ReusePort = 1;

Test::Nginx::Util::worker_connections(4096);

no_shuffle();
run_tests();


sub media {
    my ($name, $from) = @_;

    copy_file("$VodTest::Fixtures/$from", files_dir() . "/$name");
}


# Memory of the workers that is not a file's, in bytes.

sub anonymous {
    my $sum = 0;

    for my $pid (worker_pids()) {
        my ($kb) = slurp("/proc/$pid/status") =~ /^RssAnon:\s+(\d+) kB/m;
        $sum += 1024 * $kb;
    }

    return $sum;
}


# Clients that read the header of their answer and no more, until the sockets
# of both sides are full.

sub slow_readers {
    my ($port, @urls) = @_;
    my @sockets;

    for my $url (@urls) {
        my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $port, Proto => 'tcp',
            Sockopts => [[Socket::SOL_SOCKET(), Socket::SO_RCVBUF(),
                          pack 'i', 4096]]) or die "connect: $!";
        print $socket "GET $url HTTP/1.0\r\n\r\n";
        $socket->flush;
        push @sockets, $socket;
    }

    for my $socket (@sockets) {
        sysread $socket, my $some, 12 or die "read: $!";
        die $some if $some ne 'HTTP/1.1 200';
    }

    return @sockets;
}

__DATA__

=== TEST 1: 500 clients on a cold file build one index
--- workers: 2
--- setup
media('cold.mp4', 'long.mp4');
media('cold.ts', 'mpegts.ts');
--- check
for my $name (qw(cold.mp4 cold.ts)) {
    my $before = status_page()->{index};
    my @urls = map { "/$name/$_" }
        qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4 v1/1.m4s);
    hold($name);
    my @sockets = ask_all((@urls) x 100);
    held($name);
    waiting(499);
    release($name);
    my @answers = read_all(@sockets);
    is(grep({ $_->{status} == 200 } @answers), 500, "$name: all are served");
    my %seen;
    $seen{$urls[$_ % @urls]}{sha($answers[$_]{content})} = 1 for 0 .. 499;
    is(grep({ keys %$_ != 1 } values %seen), 0, 'with the same bytes');
    my $index = status_page()->{index};
    is($index->{builds} - $before->{builds}, 1, 'by one build');
    is($index->{waits} - $before->{waits}, 499, 'that 499 waited for');
    in_flight(0);
    waiting(0);
}


=== TEST 2: 2,000 readers that do not read
--- workers: 2
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 sndbuf=16k;
location / {
    vod on;
    vod_segment_duration 60s;
    sendfile off;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
media('slow.mp4', 'interleave-sample.mp4');
media('slow.ts', 'mpegts.ts');
--- check
my $port = $ENV{TEST_NGINX_PORT_1};
my @urls = qw(/slow.mp4/v1/1.m4s /slow.ts/v1/1.m4s);
my %whole = map { $_ => fetch($_)->{content} } @urls, @urls;
cmp_ok(length $whole{$_}, '>', 200_000, "$_: more than sockets take")
    for @urls;

my @first = slow_readers($port, (@urls) x 100);
my $before = anonymous();
my @sockets = slow_readers($port, (@urls) x 900);
in_flight(2000);
my $each = (anonymous() - $before) / 1800;
cmp_ok($each, '<', ($VodTest::Asan ? 512 : 64) << 10,
       sprintf 'each holds %d KiB', $each >> 10);
is(fetch('/slow.mp4/master.m3u8')->{status}, 200, 'others are served');

for my $n (0, 1, 998, 999) {
    local $/;
    my $socket = $sockets[$n];
    my $all = 'HTTP/1.1 200' . <$socket>;
    my (undef, $body) = split /\r\n\r\n/, $all, 2;
    ok($body eq $whole{$urls[$n % 2]}, 'one that reads on gets all');
}
close $_ for @first, @sockets;
in_flight(0);


=== TEST 3: too many: 503 with Retry-After, and none afterwards
--- main_config
thread_pool media threads=1 max_queue=4;
--- http_config
vod_max_waiting 20;
--- config
location / {
    vod on;
    aio threads=media;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
media("many$_.mp4", 'moov-first.mp4') for 1 .. 40;
media("many$_.ts", 'mpegts.ts') for 1 .. 40;
--- check
for my $kind (qw(mp4 ts)) {
    my $first = "many1.$kind";
    my $shed = status_page()->{shed};

    # one runs, four are queued, twenty wait for the first

    hold($first);
    my @running = ask_all("/$first/master.m3u8");
    held($first);
    push @running, ask_all(map { "/many$_.$kind/master.m3u8" } 2 .. 5);
    in_flight(5);
    push @running, ask_all(("/$first/v1/init.mp4") x 20);
    waiting(20);

    my @answers = read_all(ask_all(
        (map { "/many$_.$kind/master.m3u8" } 6 .. 40),
        ("/$first/v1/1.m4s") x 35));
    is(grep({ $_->{status} == 503 } @answers), 70, "$kind: 70 are sent away");
    is(grep({ $_->{head} =~ /^Retry-After: [1-9]\d*\r?$/m } @answers), 70,
       'for now');
    is(status_page()->{shed} - $shed, 70, 'which is counted');

    release($first);
    is(grep({ $_->{status} == 200 } read_all(@running)), 25,
       'the others are served');
    in_flight(0);
    waiting(0);
    is(grep({ fetch("/many$_.$kind/v1/1.m4s")->{status} == 200 } 1 .. 40), 40,
       'then all, one after the other');
    is(status_page()->{shed} - $shed, 70, 'nobody else was sent away');
}
