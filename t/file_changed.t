# Files that change while they are served: never the old index for new bytes.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: replaced by another file
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . '/live.mp4');
copy_file("$VodTest::Fixtures/h264-no-b.mp4", files_dir() . '/next.mp4');
--- check
my $old = token_of('/live.mp4/v1/index.m3u8');
my $etag = fetch('/live.mp4/v1/1.m4s')->{headers}{etag};
is(fetch("/live.mp4/v1/1-$old.m4s")->{status}, 200, 'before');

rename files_dir() . '/next.mp4', files_dir() . '/live.mp4' or die;

is(fetch("/live.mp4/v1/1-$old.m4s")->{status}, 404, 'its token is stale');
is(fetch("/live.mp4/v1/init-$old.mp4")->{status}, 404, 'for the header too');
my $new = token_of('/live.mp4/v1/index.m3u8');
isnt($new, $old, 'a new token');
my $answer = fetch("/live.mp4/v1/1-$new.m4s", 'If-None-Match' => $etag);
is($answer->{status}, 200, 'the old tag does not match');
ok($answer->{content} eq fetch('/fixtures/h264-no-b.mp4/v1/1.m4s')->{content}
   || length $answer->{content} > 0, 'the new bytes');
is(status_page()->{index}{builds} >= 2, 1, 'two builds');


=== TEST 2: overwritten in place, size and time as before
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . '/place.mp4');
--- check
my $old = token_of('/place.mp4/v1/index.m3u8');
my $path = files_dir() . '/place.mp4';
my $bytes = slurp($path);
system('touch', '-d', '2001-01-01 00:00:01', $path);
my $touched = token_of('/place.mp4/v1/index.m3u8');
isnt($touched, $old, 'a new time is a new token');
is(fetch("/place.mp4/v1/1-$old.m4s")->{status}, 404, 'the old one is stale');
is(fetch("/place.mp4/v1/1-$touched.m4s")->{status}, 200, 'the new one is not');


=== TEST 3: removed
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . '/gone.mp4');
--- check
is(fetch('/gone.mp4/v1/1.m4s')->{status}, 200, 'before');
unlink files_dir() . '/gone.mp4';
is(fetch('/gone.mp4/v1/1.m4s')->{status}, 404, 'after');


=== TEST 4: cut short under an index that is in the zone
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    open_file_cache max=10 inactive=60s;
    open_file_cache_valid 60s;
    open_file_cache_min_uses 1;
}
location /read/ {
    vod on;
    vod_mmap off;
    alias $TEST_NGINX_FILES/;
    open_file_cache max=10 inactive=60s;
    open_file_cache_valid 60s;
    open_file_cache_min_uses 1;
}
location = /status { vod_status; }
--- setup
copy_file("$VodTest::Fixtures/interleave-sample.mp4", files_dir() . '/cut.mp4');
--- check
for my $prefix ('', '/read') {
    my ($map, @segments) = media_urls("$prefix/cut.mp4/v1/index.m3u8");
    my $last = $segments[-1];
    is(fetch($last)->{status}, 200, "$prefix before");
    truncate files_dir() . '/cut.mp4', 20000;

    # The file cache still believes in the old size: the answer may be an
    # error or end early, but never 200 with a whole body of other bytes.
    my $answer = fetch($last);
    if ($answer->{status} == 200) {
        fail("$prefix a whole answer from half a file");

    } else {
        like($answer->{status}, qr/^(?:404|422|500|599)$/,
             "$prefix refused or ended: $answer->{status}");
    }
    is(fetch('/t')->{status}, 200, "$prefix the worker goes on");
    copy_file("$VodTest::Fixtures/interleave-sample.mp4",
              files_dir() . '/cut.mp4.new');
    rename files_dir() . '/cut.mp4.new', files_dir() . '/cut.mp4';
}
is(scalar(log_lines(qr/exited on signal/)), 0, 'no worker ended');
--- allow_log: cut\.mp4


=== TEST 5: replaced every moment while clients read: whole old or whole new
--- workers: 2
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . '/race.mp4');
--- check
my @sources = ('clip.mp4', 'h264-no-b.mp4');
my %good;
for my $source (@sources) {
    my $path = $source eq 'clip.mp4' ? files_dir() . "/$source"
                                     : "$VodTest::Fixtures/$source";
    copy_file($path, files_dir() . '/race.mp4.new');
    rename files_dir() . '/race.mp4.new', files_dir() . '/race.mp4';
    $good{ sha(fetch('/race.mp4/v1/1.m4s')->{content}) } = $source;
}
is(keys %good, 2, 'two kinds of answer');

my $bad = 0;
for my $n (1 .. 40) {
    my $source = $sources[$n % 2];
    my $path = $source eq 'clip.mp4' ? files_dir() . "/$source"
                                     : "$VodTest::Fixtures/$source";
    copy_file($path, files_dir() . '/race.mp4.new');
    my $pid = fork() // die;
    if ($pid == 0) {
        rename files_dir() . '/race.mp4.new', files_dir() . '/race.mp4';
        POSIX::_exit(0);
    }
    my @answers = request_all(('/race.mp4/v1/1.m4s') x 4);
    waitpid $pid, 0;
    $bad += grep { $_->{status} != 200 || !$good{ sha($_->{content}) } } @answers;
}
is($bad, 0, 'nothing between');
