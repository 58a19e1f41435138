# Thread pools: which one is used, and that all ways of sending with threads
# give the same bytes.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: the pool that aio threads= names
--- main_config
thread_pool media threads=3;
--- config
location / {
    vod on;
    aio threads=media;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/v1/1.m4s
--- check
my ($worker) = worker_pids();
is(scalar(() = glob "/proc/$worker/task/*"), 4, 'three threads, of this pool');


=== TEST 2: the default pool is made when nobody defines it
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/v1/1.m4s
--- check
my ($worker) = worker_pids();
cmp_ok(scalar(() = glob "/proc/$worker/task/*"), '>', 2, 'threads');


=== TEST 3: a default pool that is defined
--- main_config
thread_pool default threads=1 max_queue=100;
--- config
location / {
    vod on;
    aio threads;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/v1/1.m4s
--- check
my ($worker) = worker_pids();
is(scalar(() = glob "/proc/$worker/task/*"), 2, 'one thread in it');


=== TEST 4: a pool that is not defined
--- config
location / {
    vod on;
    aio threads=nosuch;
    root $TEST_NGINX_FILES;
}
--- must_die
--- suppress_stderr
--- error_log eval
qr/\[emerg\] .*unknown thread pool "nosuch"/


=== TEST 5: one thread, many requests, all kinds at once
--- main_config
thread_pool default threads=1;
--- workers: 2
--- config
location / {
    vod on;
    aio threads;
    sendfile on;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
my @files = qw(clip.mp4 h264-no-b.mp4 interleave-sample.mp4
               interleave-track.mp4 moov-last.mp4 vfr.mp4 av1.mp4 opus.mp4);
my @names = qw(master.m3u8 v1/1.m4s manifest.mpd a1/1.m4s v1/init.mp4
               a1/index.m3u8);
my @urls = map { my $f = $_; map { "/$f/$_" } @names } @files;
my @first = request_all(@urls);
is(grep({ $_->{status} != 200 } @first), 0, 'cold');
my @second = request_all(@urls);
is(grep({ $first[$_]{content} ne $second[$_]{content} } 0 .. $#urls), 0,
   'hot, the same bytes');
my $status = status_page();
is($status->{index}{builds}, @files, 'one build a file');
is($status->{index}{failures}, 0, 'no failure');


=== TEST 6: a page cache that is cold
--- config
location / {
    vod on;
    aio threads;
    sendfile on;
    root $TEST_NGINX_FILES;
}
location /read/ {
    vod on;
    vod_mmap off;
    alias $TEST_NGINX_FILES/;
}
--- setup
copy_file("$VodTest::Fixtures/interleave-sample.mp4", files_dir() . '/cold.mp4');
--- check
SKIP: {
    skip 'GNU dd is not there', 4 if !have_command('dd');
    my $path = files_dir() . '/cold.mp4';
    for my $prefix ('', '/read') {
        my @urls = map { "$prefix/cold.mp4/$_/1.m4s" } qw(v1 a1);
        my @hot = map { fetch($_)->{content} } @urls;
        capture('sync', $path);
        capture('dd', "of=$path", 'oflag=nocache', 'conv=notrunc,fdatasync',
                'count=0', 'status=none');
        my @cold = map { fetch($_)->{content} } @urls;
        ok($hot[$_] eq $cold[$_], "$urls[$_]") for 0, 1;
    }
}
