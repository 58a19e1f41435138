# System calls that fail: the answer, the line in the log, and that neither
# outlives the failure.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

use Errno ();

no_shuffle();
run_tests();


# One line of this level that matches, when all is written.

sub one_line {
    my ($level, $pattern, $name) = @_;
    my @lines = log_lines(qr/\[$level\].*$pattern/, 1);

    is(scalar @lines, 1, $name) or diag(@lines);
}


__DATA__

=== TEST 1: a read fails while a file is indexed
--- check
order('fail.clip.mp4', Errno::EIO());
for my $name (qw(master.m3u8 v1/1.m4s)) {
    is(fetch("/clip.mp4/$name")->{status}, 500, "$name: 500");
}
my @lines = log_lines(qr/\[crit\].*"[^"]*clip\.mp4" vod: reading \d+ bytes at offset \d+ failed with system error 5, check the disk/, 2);
is(@lines, 2, 'a line for each');
is(status_page()->{index}{failures}, 2, 'each is tried');
cancel('fail.clip.mp4');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'nothing of it is kept');
--- allow_log: reading\ \d+\ bytes


=== TEST 2: indexing takes too long
--- check
order('late.clip.mp4');
my $answer = fetch('/clip.mp4/master.m3u8');
is($answer->{status}, 503, 'refused');
is($answer->{headers}{'retry-after'}, 1, 'for now');
one_line('error', '"[^"]*clip\.mp4" vod: indexing took longer than 30000 ms'
         . ' \(vod_index_timeout\), check the disk', 'the reason');
cancel('late.clip.mp4');
is(fetch('/clip.mp4/master.m3u8')->{status}, 200, 'it is tried again');


=== TEST 3: a read fails before anything of a segment is sent
--- config
location / {
    vod on;
    vod_mmap off;
    root $TEST_NGINX_FIXTURES;
}
location /mapped/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
location = /status { vod_status; }
--- check
my $whole = fetch('/interleave-sample.mp4/v1/1.m4s')->{content};
order('cold');
order('mmap', Errno::ENOMEM());
order('fail.interleave-sample.mp4', Errno::EIO());
for my $range (undef, 'bytes=100-', 'bytes=20000-40000', 'bytes=-9', 'bytes=1-') {
    my @range = defined $range ? (Range => $range) : ();
    is(fetch("$_/interleave-sample.mp4/v1/1.m4s", @range)->{status}, 500,
       "'$_' " . ($range // 'all')) for '', '/mapped';
}
is(scalar(log_lines(qr/\[crit\].*pread\(\) "[^"]*interleave-sample\.mp4" failed \(5:/, 10)),
   10, 'one line an answer');
is(fetch('/interleave-sample.mp4/v1/1.m4s', method => 'HEAD')->{status}, 200,
   'HEAD reads nothing');
is(fetch('/interleave-sample.mp4/v1/1.m4s', Range => 'bytes=9999999-')->{status},
   416, 'a range beyond the end neither');
cancel($_) for 'cold', 'mmap', 'fail.interleave-sample.mp4';
ok(fetch("$_/interleave-sample.mp4/v1/1.m4s")->{content} eq $whole,
   "'$_' served afterwards") for '', '/mapped';
in_flight(0);
--- allow_log: pread\(\)\ "


=== TEST 4: a read fails while a segment is sent
--- config
location / {
    vod on;
    vod_mmap off;
    limit_rate 40k;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
my $whole = fetch('/interleave-sample.mp4/v1/1.m4s')->{content};
cmp_ok(length $whole, '>', 64 * 1024, 'more than one window');
my ($socket) = ask_all('/interleave-sample.mp4/v1/1.m4s');
sysread $socket, my $begin, 1000;
like($begin, qr{^HTTP/1\.\d 200 }, 'it has begun');
order('cold');
order('fail.interleave-sample.mp4', Errno::EIO());
order('clock', 10);
my $rest = join '', readline $socket;
my (undef, $body) = split /\r\n\r\n/, $begin . $rest, 2;
cmp_ok(length $body, '<', length $whole, 'it ends early');
ok($body eq substr($whole, 0, length $body), 'with no other bytes');
one_line('crit', 'pread\(\) "[^"]*interleave-sample\.mp4" failed \(5:',
         'one line');
cancel($_) for 'cold', 'fail.interleave-sample.mp4', 'clock';
in_flight(0);
--- allow_log: pread\(\)\ "


=== TEST 5: what is not in the page cache is read by a thread
--- config
location / {
    vod on;
    vod_mmap off;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
my @urls = map { "/interleave-sample.mp4/$_/1.m4s" } qw(v1 a1);
my @hot = map { fetch($_)->{content} } @urls;
order('cold');
for my $n (0, 1) {
    hold('interleave-sample.mp4');
    my ($socket) = ask_all($urls[$n]);
    held('interleave-sample.mp4');
    is(fetch('/t')->{status}, 200, 'others are served meanwhile');
    release('interleave-sample.mp4');
    my ($answer) = read_all($socket);
    ok($answer->{content} eq $hot[$n], "$urls[$n]: its bytes");
}

hold('interleave-sample.mp4');
my @sockets = ask_all(($urls[0]) x 5);
held('interleave-sample.mp4');
in_flight(5);
close $_ for @sockets;
is(fetch('/t')->{status}, 200, 'clients leave while a thread reads');
release('interleave-sample.mp4');
in_flight(0);


=== TEST 6: the queue is full while a segment is sent
--- main_config
thread_pool media threads=1 max_queue=1;
--- config
location / {
    vod on;
    vod_mmap off;
    aio threads=media;
    root $TEST_NGINX_FIXTURES;
}
location /impatient/ {
    vod on;
    vod_mmap off;
    aio threads=media;
    send_timeout 1s;
    alias $TEST_NGINX_FIXTURES/;
}
location = /status { vod_status; }
--- check
my $url = '/interleave-sample.mp4/v1/1.m4s';
my $whole = fetch($url)->{content};
order('cold');
hold('interleave-sample.mp4');
my ($running) = ask_all($url);
held('interleave-sample.mp4');
my ($queued) = ask_all($url);
in_flight(2);
my ($later, $leaves) = ask_all($url, $url);
in_flight(4, 'no place: two more wait for one');
cmp_ok(scalar(log_lines(qr/\[error\].*thread pool "media" queue overflow/, 2)),
       '>=', 2, 'a line of nginx for each');
is(fetch('/t')->{status}, 200, 'others are served meanwhile');
close $leaves;
in_flight(3, 'one of them leaves');
release('interleave-sample.mp4');
is(grep({ $_->{content} eq $whole } read_all($running, $queued, $later)), 3,
   'all are whole');
in_flight(0);

# not for ever

hold('interleave-sample.mp4');
($running) = ask_all($url);
held('interleave-sample.mp4');
($queued) = ask_all($url);
in_flight(2);
my $answer = fetch("/impatient$url");
is($answer->{status}, 503, 'no place for send_timeout: sent away');
is($answer->{headers}{'retry-after'}, 1, 'for now');
is(status_page()->{shed}, 1, 'which is counted');
one_line('error', 'interleave-sample\.mp4" vod: no thread was free to read it'
         . ' for 1000 ms', 'which is said');
release('interleave-sample.mp4');
is(grep({ $_->{content} eq $whole } read_all($running, $queued)), 2,
   'the others are whole');
in_flight(0);


=== TEST 7: no memory for a window
--- config
location / {
    vod on;
    vod_mmap off;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
my $url = '/interleave-sample.mp4/v1/1.m4s';
my $length = fetch($url, method => 'HEAD')->{headers}{'content-length'};
order('window', Errno::ENOMEM());
is(fetch($url)->{status}, 500, 'not served');
one_line('emerg', 'mmap\(\) of \d+ bytes failed \(12:', 'one line');
cancel('window');
is(length fetch($url)->{content}, $length, 'served afterwards');
in_flight(0);
--- allow_log: mmap\(\)\ of


=== TEST 8: a file that cannot be mapped is read
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
location /read/ {
    vod on;
    vod_mmap off;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
my $whole = fetch('/read/interleave-sample.mp4/v1/1.m4s')->{content};
order('mmap', Errno::ENOMEM());
ok(fetch('/interleave-sample.mp4/v1/1.m4s')->{content} eq $whole,
   'the same bytes');
one_line('info', 'mmap\(\) of \d+ bytes failed, reading instead', 'one line');


=== TEST 9: open() and fstat() fail
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /cached/ {
    vod on;
    alias $TEST_NGINX_FILES/;
    open_file_cache max=10 inactive=60s;
    open_file_cache_valid 60s;
}
--- check
order('open.clip.mp4', Errno::EIO());
is(fetch('/clip.mp4/master.m3u8')->{status}, 500, 'open()');
one_line('crit', 'open\(\) "[^"]*clip\.mp4" failed \(5:', 'one line');
cancel('open.clip.mp4');
is(fetch('/cached/clip.mp4/master.m3u8')->{status}, 200, 'open again');
order('stat.clip.mp4', Errno::EIO());
is(fetch('/cached/clip.mp4/master.m3u8')->{status}, 500,
   'fstat() of an open file');
one_line('crit', 'fstat\(\) "[^"]*clip\.mp4" failed \(5:', 'one line');
cancel('stat.clip.mp4');
is(fetch('/cached/clip.mp4/master.m3u8')->{status}, 200, 'served afterwards');
--- allow_log: (?:open|fstat)\(\)\ "


=== TEST 10: a pool of threads that is not there
--- main_config
thread_pool default threads=1;
--- config
location / {
    vod on;
    aio threads=$arg_pool;
    root $TEST_NGINX_FILES;
}
--- check
is(fetch('/clip.mp4/v1/1.m4s?pool=nosuch')->{status}, 500, 'not served');
one_line('error', 'thread pool "nosuch" not found', 'one line');
is(fetch('/clip.mp4/v1/1.m4s?pool=default')->{status}, 200,
   'one that is there');


=== TEST 11: what is no file
--- setup
mkdir files_dir() . '/folder.mp4';
system('mkfifo', files_dir() . '/pipe.mp4') if ! -p files_dir() . '/pipe.mp4';
--- check
is(fetch('/folder.mp4/master.m3u8')->{status}, 404, 'a folder');
one_line('error', '"[^"]*folder\.mp4" is a directory', 'one line');
is(fetch('/pipe.mp4/master.m3u8')->{status}, 404, 'a pipe');
one_line('error', '"[^"]*pipe\.mp4" is not a regular file', 'one line');
is(fetch('/nosuch.mp4/master.m3u8')->{status}, 404, 'nothing');
one_line('error', 'open\(\) "[^"]*nosuch\.mp4" failed \(2:', 'one line');


=== TEST 12: a file that changes before anything of a segment is sent
--- config
location / {
    vod on;
    vod_mmap off;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
copy_file("$VodTest::Fixtures/interleave-sample.mp4", files_dir() . '/now.mp4');
--- check
my $url = '/now.mp4/v1/1.m4s';
my $path = files_dir() . '/now.mp4';
my (undef, $named) = media_urls('/now.mp4/v1/index.m3u8');
my $whole = fetch($url);
order('cold');
hold('now.mp4');
my @sockets = ask_all($url, $named);
held('now.mp4');
utime 1600000000, 1600000000, $path;
release('now.mp4');
my @answers = read_all(@sockets);
is($answers[0]{status}, 200, 'served');
ok($answers[0]{content} eq $whole->{content}, 'these are the same bytes');
unlike($answers[0]{head}, qr/\Q$whole->{headers}{etag}\E/,
       'of another version of the file');
is($answers[1]{status}, 404, 'a URL of the old one is not served') if $named;
is(status_page()->{index}{builds}, 2, 'which is indexed');
