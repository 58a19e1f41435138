# Conditional requests.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: If-None-Match and If-Modified-Since on every kind of body
--- check
my %body = %{ fetch_all('/clip.mp4') };
for my $name (sort keys %body) {
    my $url = "/clip.mp4/$name";
    my $answer = fetch($url);
    my ($etag, $date) = @{ $answer->{headers} }{qw(etag last-modified)};

    like($etag, qr/^"[0-9a-f]{16}"$/, "$name: a strong tag");

    my $same = fetch($url, 'If-None-Match' => $etag);
    is($same->{status}, 304, "$name: the tag matches");
    is($same->{content}, '', "$name: no body");
    is($same->{headers}{etag}, $etag, "$name: 304 has the tag");

    is(fetch($url, 'If-None-Match' => '"0123456789abcdef"')->{status}, 200,
       "$name: another tag");
    is(fetch($url, 'If-None-Match' => "\"x\", $etag")->{status}, 304,
       "$name: one of a list");
    is(fetch($url, 'If-None-Match' => "W/$etag")->{status}, 304,
       "$name: compared weakly");
    is(fetch($url, 'If-None-Match' => '*')->{status}, 304, "$name: any");
    is(fetch($url, 'If-Modified-Since' => $date)->{status}, 304,
       "$name: not modified");
    is(fetch($url, 'If-Modified-Since' => 'Thu, 01 Jan 1970 00:00:00 GMT')
       ->{status}, 200, "$name: modified");
    is(fetch($url, 'If-Match' => '"0123456789abcdef"')->{status}, 412,
       "$name: If-Match fails");
    is(fetch($url, 'If-Match' => $etag)->{status}, 200,
       "$name: If-Match holds");
    is(fetch($url, 'If-Unmodified-Since' => 'Thu, 01 Jan 1970 00:00:00 GMT')
       ->{status}, 412, "$name: If-Unmodified-Since fails");
}


=== TEST 2: Last-Modified is that of the file
--- setup
utime 1500000000, 1500000000, files_dir() . '/clip.mp4';
--- check
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4 v1/1.m4s)) {
    is(fetch("/clip.mp4/$name")->{headers}{'last-modified'},
       'Fri, 14 Jul 2017 02:40:00 GMT', $name);
}


=== TEST 3: If-Range
--- check
for my $name (qw(master.m3u8 v1/init.mp4 v1/1.m4s a1/2.m4s)) {
    my $url = "/clip.mp4/$name";
    my $whole = fetch($url);
    my ($etag, $date) = @{ $whole->{headers} }{qw(etag last-modified)};

    my $part = fetch($url, Range => 'bytes=5-9', 'If-Range' => $etag);
    is($part->{status}, 206, "$name: the tag holds");
    is($part->{content}, substr($whole->{content}, 5, 5), "$name: the part");
    is(fetch($url, Range => 'bytes=5-9', 'If-Range' => '"0123456789abcdef"')
       ->{status}, 200, "$name: another tag");
    is(fetch($url, Range => 'bytes=5-9', 'If-Range' => "W/$etag")->{status},
       200, "$name: a weak one does not do");
    is(fetch($url, Range => 'bytes=5-9', 'If-Range' => $date)->{status}, 206,
       "$name: the date holds");
    is(fetch($url, Range => 'bytes=5-9',
             'If-Range' => 'Thu, 01 Jan 1970 00:00:00 GMT')->{status}, 200,
       "$name: another date");
}


=== TEST 4: etag off
--- config
location / {
    vod on;
    etag off;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/v1/1.m4s
--- response_headers
!ETag


=== TEST 5: 304 reads nothing of the media
--- check
my $etag = fetch('/clip.mp4/v1/1.m4s')->{headers}{etag};
my $before = status_page()->{source_read_bytes};
is(fetch('/clip.mp4/v1/1.m4s', 'If-None-Match' => $etag)->{status}, 304, 'not modified');
is(status_page()->{source_read_bytes}, $before, 'nothing was read');


=== TEST 6: gzip leaves the tag of a playlist strong
--- config
location / {
    vod on;
    gzip on;
    gzip_min_length 1;
    gzip_types application/vnd.apple.mpegurl application/dash+xml;
    root $TEST_NGINX_FILES;
}
--- check
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8)) {
    my $plain = fetch("/clip.mp4/$name")->{headers}{etag};
    my $packed = fetch("/clip.mp4/$name", 'Accept-Encoding' => 'gzip');
    is($packed->{headers}{'content-encoding'}, 'gzip', "$name: packed");
    like($packed->{headers}{etag}, qr/^"/, "$name: strong");
    isnt($packed->{headers}{etag}, $plain, "$name: its own");
}
is(fetch('/clip.mp4/v1/1.m4s', 'Accept-Encoding' => 'gzip')
   ->{headers}{'content-encoding'}, undef, 'a segment is not packed');
