# The shared zone: one index for all workers, the least recently used out
# first, and files that do not fit.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

$Test::Nginx::Util::ReusePort = 1;

no_shuffle();
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
vod_zone 64k;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
my $big = files_dir() . '/big.mp4';
if (! -f $big) {
    capture('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
            'sine=frequency=220:sample_rate=8000:duration=2400', '-c:a', 'aac',
            '-b:a', '8k', '-frag_duration', '0', $big);
    die if ! -s $big;
}
--- check
my @bodies = map { fetch("/big.mp4/a1/$_.m4s") } 1, 1, 200;
is($bodies[$_]{status}, 200, "request $_") for 0 .. 2;
ok($bodies[0]{content} eq $bodies[1]{content}, 'the same each time');
my $status = status_page();
is($status->{index}{builds}, 3, 'built for each request');
is($status->{index}{uncached}, 3, 'which is counted');
my @lines = log_lines(qr/\[warn\].*big\.mp4/, 1);
cmp_ok(@lines, '<=', 3, 'one warning a build at most') or diag(@lines);
like($lines[0] // '', qr/vod_zone|zone/, 'about the zone');
like($lines[0] // '', qr/\d{5,}|\d+[km]/i, 'with the size needed');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'a small file beside it');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'twice');
is(status_page()->{index}{builds}, 4, 'is cached');


=== TEST 4: many readers while entries are evicted
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
