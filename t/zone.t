# The shared zone: one index for all workers, the least recently used out
# first, and files that do not fit.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

$Test::Nginx::Util::ReusePort = 1;

no_shuffle();
long_sound('long.mp4', 40);
run_tests();

__DATA__

=== TEST 1: built once for all workers and all kinds of body
--- workers: 4
--- check
fetch('/clip.mp4/master.m3u8');
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 a1/index.m3u8
               v1/init.mp4 v1/1.m4s v1/2.m4s a1/1.m4s);
my @answers = request_all(map { "/clip.mp4/$_" } (@names) x 10);
is(grep({ $_->{status} != 200 } @answers), 0, 'all are served');
my $status = status_page();
is($status->{index}{builds}, 1, 'one build');
is($status->{index}{misses}, 1, 'one miss');
is($status->{index}{hits}, 80, 'hits');
cmp_ok($status->{zone}{entries}, '>=', 1, 'it is in the zone');
is($status->{index}{failures}, 0, 'no failure');


=== TEST 2: the least recently used goes out first
--- http_config
vod_zone 256k;
--- setup
for my $n (1 .. 60) {
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/z$n.mp4");
    utime 1500000000 + $n, 1500000000 + $n, files_dir() . "/z$n.mp4";
}
--- check
fetch('/clip.mp4/v1/1.m4s');
for my $n (1 .. 60) {
    is(fetch("/z$n.mp4/v1/1.m4s")->{status}, 200, "file $n")
        if $n % 20 == 0;
    fetch("/z$n.mp4/v1/2.m4s") if $n % 20;
    fetch('/clip.mp4/v1/1.m4s');
}
my $status = status_page();
cmp_ok($status->{zone}{evictions}, '>', 0, 'some went out');
is($status->{index}{builds}, 61, 'the one in use was built once');
fetch('/z60.mp4/v1/1.m4s');
is(status_page()->{index}{builds}, 61, 'the latest is still there');
fetch('/z1.mp4/v1/1.m4s');
is(status_page()->{index}{builds}, 62, 'the first is not');
is(status_page()->{index}{uncached}, 0, 'each found room');


=== TEST 3: a zone too small for one index: served, with one warning
--- http_config
vod_zone 128k;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /fixtures/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FIXTURES/;
}
location = /status { vod_status; }
--- check
my @bodies = map { fetch("/long.mp4/a1/$_.m4s") } 1, 1, 30;
is($bodies[$_]{status}, 200, "request $_") for 0 .. 2;
ok($bodies[0]{content} eq $bodies[1]{content}, 'the same each time');
my $status = status_page();
is($status->{index}{builds}, 3, 'built for each request');
is($status->{index}{uncached}, 3, 'which is counted');
my @lines = log_lines(qr/\[warn\].*long\.mp4/, 3);
is(@lines, 3, 'one warning a build') or diag(@lines);
is(grep({ !/index of "[^"]*long\.mp4" not cached: zone "[^"]+" has no room for [1-9]\d+ bytes, you may want to increase vod_zone to [1-9]\d+k/ } @lines),
   0, 'with the size needed');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'a small file beside it');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'twice');
is(status_page()->{index}{builds}, 4, 'is cached');


=== TEST 4: with the size that the warning names it fits
--- http_config
vod_zone 128k;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /fixtures/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FIXTURES/;
}
location = /status { vod_status; }
--- check
fetch('/long.mp4/a1/1.m4s');
my ($line) = log_lines(qr/increase vod_zone to/, 1);
my ($size) = $line =~ /vod_zone to (\d+k)/ or die;
my $conf = "$ENV{TEST_NGINX_SERVROOT}/conf/nginx.conf";
my $text = slurp($conf);
$text =~ s/vod_zone 128k;/vod_zone $size;/ or die;
write_file($conf, $text);
my %old = map { $_ => 1 } worker_pids();
kill 'HUP', nginx_pid();
wait_for(sub { my @now = worker_pids(); return @now && !grep { $old{$_} } @now },
         30);
is(fetch("/long.mp4/$_")->{status}, 200, $_)
    for qw(master.m3u8 a1/index.m3u8 manifest.mpd a1/1.m4s a1/30.m4s);
is(status_page()->{index}{uncached}, 0, 'there is room');
is(status_page()->{index}{builds}, 1, 'one build with it');
is(scalar(log_lines(qr/increase vod_zone to/)), 1, 'no further warning');


=== TEST 5: many readers while entries are evicted
--- workers: 4
--- http_config
vod_zone 128k;
--- check
my %expected = map { $_ => fetch("/z$_.mp4/v1/1.m4s")->{content} } 1 .. 60;
for my $round (1 .. 10) {
    my @order = map { 1 + ($_ * (2 * $round + 1)) % 60 } 1 .. 60;
    my @answers = request_all(map { "/z$_.mp4/v1/1.m4s" } @order);
    my @wrong = grep { $answers[$_]{status} != 200
                       || $answers[$_]{content} ne $expected{ $order[$_] } }
        0 .. $#order;
    is("@wrong", '', "round $round");
}
cmp_ok(status_page()->{zone}{evictions}, '>', 0, 'some went out');
