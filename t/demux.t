# Segments whose payload does not lie in the file as it is sent: made by a
# thread, sent from memory.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

use Errno ();

no_shuffle();
run_tests();


# A transport stream of this name that has not been asked for.

sub stream {
    my ($name, $time) = @_;

    copy_file("$VodTest::Fixtures/mpegts.ts", files_dir() . "/$name");
    utime $time, $time, files_dir() . "/$name";
}


sub segment {
    my ($name, $track, $n, $seconds) = @_;
    my ($out) = vodtool('-d', $seconds // 1, 'segment', files_dir() . "/$name",
                        $track, $n);
    return $out;
}


# Requests written by hand, which may go on while others do.

sub get {
    my ($path, @headers) = @_;

    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        Proto => 'tcp', PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
    print {$socket} join("\r\n", "GET $path HTTP/1.1", 'Host: localhost',
                         'Connection: close', @headers, '', '');
    $socket->flush;

    return $socket;
}

__DATA__

=== TEST 1: what vodtool writes, as others are served
--- http_config
ssi_min_file_chunk 1;
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /slow/ {
    vod on;
    limit_rate 150k;
    alias $TEST_NGINX_FILES/;
}
location /page/ {
    ssi on;
    ssi_types *;
    default_type text/plain;
    alias $TEST_NGINX_FILES/page/;
}
location = /status { vod_status; }
--- setup
stream('one.ts', 1500000000);
mkdir files_dir() . '/page';
write_file(files_dir() . '/page/two',
    '[<!--#include virtual="/one.ts/v1/1.m4s"-->]'
    . '[<!--#include virtual="/one.ts/a1/2.m4s"-->]');
--- check
my %whole;
for my $track (qw(v1 a1)) {
    for my $n (1, 2) {
        my $url = "/one.ts/$track/$n.m4s";
        my $expected = segment('one.ts', $track, $n, 6);
        my $answer = fetch($url);
        is($answer->{status}, 200, $url);
        ok($answer->{content} eq $expected, "$url: its bytes");
        is($answer->{headers}{'content-length'}, length $expected,
           "$url: their number");
        is($answer->{headers}{'accept-ranges'}, 'bytes', "$url: ranges");
        is($answer->{headers}{'content-type'},
           $track eq 'v1' ? 'video/mp4' : 'audio/mp4', "$url: type");
        $whole{$url} = $answer;
    }
}
is(scalar(() = map { $_->{headers}{etag} } values %whole), 4, 'a tag each');

my $url = '/one.ts/v1/1.m4s';
my $whole = $whole{$url}{content};
my $tag = $whole{$url}{headers}{etag};
my $head = fetch($url, method => 'HEAD');
is($head->{status}, 200, 'HEAD');
is($head->{headers}{'content-length'}, length $whole, 'HEAD: length');
is($head->{headers}{etag}, $tag, 'HEAD: tag');
is(fetch($url, 'If-None-Match' => $tag)->{status}, 304, 'not modified');
is(fetch($url, 'If-Match' => '"other"')->{status}, 412, 'another tag');
for my $range ([0, 0], [0, 99], [100, 60000], [1000, 1000],
               [length($whole) - 1, length($whole) - 1], [7, length($whole) - 1])
{
    my ($from, $to) = @$range;
    my $part = fetch($url, Range => "bytes=$from-$to");
    is($part->{status}, 206, "$from-$to");
    ok($part->{content} eq substr($whole, $from, $to - $from + 1),
       "$from-$to: its bytes");
}
is(fetch($url, Range => 'bytes=9999999-')->{status}, 416, 'beyond the end');
is(fetch($url, Range => 'bytes=0-9', 'If-Range' => $tag)->{status}, 206,
   'If-Range');
is(fetch($url, Range => 'bytes=0-9', 'If-Range' => '"other"')->{status}, 200,
   'If-Range of another');
ok(fetch("/slow$url")->{content} eq $whole, 'with limit_rate');
is(fetch('/page/two')->{content},
   "[$whole][$whole{'/one.ts/a1/2.m4s'}{content}]", 'in a page of parts');
is(fetch('/one.ts/v1/3.m4s')->{status}, 404, 'one that is not there');
my ($map, @urls) = media_urls('/one.ts/v1/index.m3u8');
ok(fetch($urls[0])->{content} eq $whole, 'by the name in the playlist');
$urls[0] =~ s/-[0-9a-f]{12}/-000000000000/;
is(fetch($urls[0])->{status}, 404, 'not by one of another version');
is(status_page()->{index}{builds}, 1, 'one index');
in_flight(0);


=== TEST 2: many ask for one segment: it is made once
--- setup
stream('many.ts', 1500000001);
--- check
fetch('/many.ts/master.m3u8');
my $expected = segment('many.ts', 'v1', 1);
my $before = status_page()->{source_read_bytes};
hold('many.ts');
my @sockets = map { get('/many.ts/v1/1.m4s') } 1 .. 20;
held('many.ts');
in_flight(20);
is(fetch('/t')->{status}, 200, 'others are served meanwhile');
close shift @sockets for 1 .. 5;
release('many.ts');
my @answers = read_all(@sockets);
is(grep({ $_->{content} eq $expected } @answers), 15,
   'the others get it, though who began has left');
my $read = status_page()->{source_read_bytes} - $before;
cmp_ok($read, '<', 2 * -s files_dir() . '/many.ts', 'read once');
cmp_ok($read, '>', 0, 'which is counted');
$before = status_page()->{source_read_bytes};
ok(fetch('/many.ts/v1/1.m4s')->{content} eq $expected, 'once more');
is(status_page()->{source_read_bytes}, $before, 'from memory');
in_flight(0);


=== TEST 3: all clients leave while it is made
--- setup
stream('left.ts', 1500000002);
--- check
fetch('/left.ts/master.m3u8');
hold('left.ts');
my @sockets = map { get('/left.ts/v1/1.m4s') } 1 .. 4;
held('left.ts');
in_flight(4);
close $_ for @sockets;
in_flight(1, 'the one whose task runs is kept');
release('left.ts');
in_flight(0);
ok(fetch('/left.ts/v1/1.m4s')->{content} eq segment('left.ts', 'v1', 1),
   'served afterwards');


=== TEST 4: it cannot be read
--- setup
stream('bad.ts', 1500000003);
--- check
fetch('/bad.ts/master.m3u8');
order('fail.bad.ts', Errno::EIO());
is(fetch('/bad.ts/v1/1.m4s')->{status}, 500, 'not served');
is(fetch('/bad.ts/v1/1.m4s', Range => 'bytes=0-9')->{status}, 500,
   'nor a part of it');
my @lines = log_lines(qr/\[crit\].*"[^"]*bad\.ts" vod: reading \d+ bytes at offset \d+ failed with system error 5/, 2);
is(@lines, 2, 'a line for each');
cancel('fail.bad.ts');
ok(fetch('/bad.ts/v1/1.m4s')->{content} eq segment('bad.ts', 'v1', 1),
   'served afterwards');
in_flight(0);
--- allow_log: reading\ \d+\ bytes


=== TEST 5: those who wait are told, too
--- setup
stream('all.ts', 1500000004);
--- check
fetch('/all.ts/master.m3u8');
hold('all.ts');
my @sockets = map { get('/all.ts/v1/1.m4s') } 1 .. 5;
held('all.ts');
in_flight(5);
order('fail.all.ts', Errno::EIO());
release('all.ts');
is(grep({ $_->{status} == 500 } read_all(@sockets)), 5, 'all are refused');
cancel('fail.all.ts');
is(fetch('/all.ts/v1/1.m4s')->{status}, 200, 'none of it is kept');
in_flight(0);
--- allow_log: reading\ \d+\ bytes


=== TEST 6: the file changes meanwhile
--- setup
stream('now.ts', 1500000005);
--- check
my ($map, $named) = media_urls('/now.ts/v1/index.m3u8');
my $whole = segment('now.ts', 'v1', 1);
hold('now.ts');
my @sockets = map { get($_) } '/now.ts/v1/1.m4s', '/now.ts/v1/1.m4s', $named;
held('now.ts');
in_flight(3);
utime 1600000000, 1600000000, files_dir() . '/now.ts';
release('now.ts');
my @answers = read_all(@sockets);
is($answers[$_]{status}, 200, 'served') for 0, 1;
ok($answers[0]{content} eq $whole, 'the same bytes as it happens');
is($answers[2]{status}, 404, 'not by a name of what it was');
is(status_page()->{index}{builds}, 2, 'it is indexed again, once');
in_flight(0);


=== TEST 7: the queue is full
--- main_config
thread_pool media threads=1 max_queue=1;
--- config
location / {
    vod on;
    aio threads=media;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
stream('full.ts', 1500000006);
--- check
fetch('/full.ts/master.m3u8');
hold('full.ts');
my @sockets = get('/full.ts/v1/1.m4s');
held('full.ts');
push @sockets, get('/full.ts/v1/2.m4s');
in_flight(2);
my $answer = fetch('/full.ts/a1/1.m4s');
is($answer->{status}, 503, 'sent away');
is($answer->{headers}{'retry-after'}, 1, 'for now');
push @sockets, get('/full.ts/v1/1.m4s');
in_flight(3, 'one that is being made needs no place');
release('full.ts');
is(grep({ $_->{status} == 200 } read_all(@sockets)), 3, 'the others are served');
is(fetch('/full.ts/a1/1.m4s')->{status}, 200, 'and now this one');
is(status_page()->{shed}, 1, 'which is counted');
in_flight(0);


=== TEST 8: memory
--- http_config
vod_segment_memory 150k;
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
stream('room.ts', 1500000007);
--- check
my %size = map { $_ => length fetch("/room.ts/$_.m4s")->{content} }
    qw(v1/1 v1/2 a1/1 a1/2);
is(grep({ $_ > 0 } values %size), 4, 'one after the other, any size');
my $before = status_page()->{source_read_bytes};
fetch('/room.ts/a1/2.m4s');
is(status_page()->{source_read_bytes}, $before, 'a short one is kept');
fetch('/room.ts/v1/1.m4s');
cmp_ok(status_page()->{source_read_bytes}, '>', $before,
       'a long one is not, a quarter is kept at most');

hold('room.ts');
my $first = get('/room.ts/v1/1.m4s');
held('room.ts');
my $answer = fetch('/room.ts/v1/2.m4s');
is($answer->{status}, 503, 'no room beside it');
is($answer->{headers}{'retry-after'}, 1, 'for now');
my @lines = log_lines(qr/\[error\].*"[^"]*room\.ts" vod: no room for a segment of \d+ bytes beside \d+ that are being sent \(vod_segment_memory 153600\)/, 1);
is(@lines, 1, 'the reason');
my $second = get('/room.ts/v1/1.m4s');
release('room.ts');
is(grep({ length $_->{content} == $size{'v1/1'} } read_all($first, $second)), 2,
   'the same one is shared');
is(fetch('/room.ts/v1/2.m4s')->{status}, 200, 'there is room again');
in_flight(0);


=== TEST 9: a zone without room for the index
--- http_config
vod_zone 128k;
vod_segment_memory 0;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
capture('ffmpeg', '-v', 'error', '-y', '-stream_loop', '59', '-i',
        "$VodTest::Fixtures/mpegts.ts", '-c', 'copy', files_dir() . '/far.ts');
--- check
for my $n (1, 300) {
    my $answer = fetch("/far.ts/a1/$n.m4s");
    is($answer->{status}, 200, "segment $n");
    my ($out) = vodtool('-d', 1, 'segment', files_dir() . '/far.ts', 'a1', $n);
    ok($answer->{content} eq $out, "segment $n: its bytes");
}
is(status_page()->{index}{uncached}, 2, 'an index for each');
in_flight(0);
