# Inside other requests, and behind nginx's own cache.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: included by SSI
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /threads/ {
    vod on;
    vod_segment_duration 1s;
    sendfile on;
    aio threads;
    alias $TEST_NGINX_FILES/;
}
location /page/ {
    ssi on;
    ssi_types *;
    default_type text/plain;
    alias $TEST_NGINX_FILES/page/;
}
--- setup
my $dir = files_dir() . '/page';
mkdir $dir;
write_file("$dir/playlist", "[<!--#include virtual=\"/clip.mp4/master.m3u8\"-->]");
write_file("$dir/segments", join '', map {
    "[<!--#include virtual=\"$_\"-->]"
} '/clip.mp4/v1/1.m4s', '/clip.mp4/a1/1.m4s', '/threads/clip.mp4/v1/2.m4s',
  '/threads/clip.mp4/v1/init.mp4', '/clip.mp4/v1/index.m3u8');
write_file("$dir/missing", "[<!--#include virtual=\"/clip.mp4/v1/99.m4s\"-->]");
write_file("$dir/first", join '', map {
    "[<!--#include virtual=\"/copy$_.mp4/v1/1.m4s\"-->]"
} 1 .. 4);
copy_file(files_dir() . '/clip.mp4', files_dir() . "/copy$_.mp4") for 1 .. 4;
--- check
my $master = fetch('/clip.mp4/master.m3u8')->{content};
is(fetch('/page/playlist')->{content}, "[$master]", 'a playlist');
my $expected = join '', map { '[' . fetch($_)->{content} . ']' }
    '/clip.mp4/v1/1.m4s', '/clip.mp4/a1/1.m4s', '/threads/clip.mp4/v1/2.m4s',
    '/threads/clip.mp4/v1/init.mp4', '/clip.mp4/v1/index.m3u8';
ok(fetch('/page/segments')->{content} eq $expected, 'segments')
    for 1 .. 3;
like(fetch('/page/missing')->{content}, qr/^\[.*404 Not Found.*\]$/s, 'missing');
my $segment = fetch('/clip.mp4/v1/1.m4s')->{content};
ok(fetch('/page/first')->{content} eq "[$segment]" x 4,
   'first requests, several in one');


=== TEST 2: auth_request to and from a vod location
--- config
location / {
    vod on;
    auth_request /allow;
    root $TEST_NGINX_FILES;
}
location /denied/ {
    vod on;
    auth_request /deny;
    alias $TEST_NGINX_FILES/;
}
location /plain/ {
    auth_request /media/clip.mp4/v1/1.m4s;
    alias $TEST_NGINX_FILES/;
}
location /refused/ {
    auth_request /media/clip.mp4/v1/99.m4s;
    alias $TEST_NGINX_FILES/;
}
location /media/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
location = /allow { return 204; }
location = /deny { return 403; }
--- check
my $first = fetch('/clip.mp4/v1/1.m4s');
is($first->{status}, 200, 'allowed');
is(length $first->{content}, $first->{headers}{'content-length'}, 'whole');
is(fetch('/denied/clip.mp4/v1/1.m4s')->{status}, 403, 'denied');
is(fetch('/plain/clip.mp4')->{status}, 200, 'a segment as the permission');
is(fetch('/refused/clip.mp4')->{status}, 500, 'a missing one');


=== TEST 3: mirror
--- config
location / {
    vod on;
    mirror /mirrored;
    root $TEST_NGINX_FILES;
}
location = /mirrored {
    internal;
    rewrite ^ /media/clip.mp4/v1/1.m4s last;
}
location /media/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
--- check
my $answer = fetch('/clip.mp4/v1/1.m4s');
is($answer->{status}, 200, 'served');
is(length $answer->{content}, $answer->{headers}{'content-length'}, 'whole');


=== TEST 4: behind proxy_cache
--- http_config
proxy_cache_path $TEST_NGINX_SERVER_ROOT/proxy_cache keys_zone=edge:1m;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /edge/ {
    proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    proxy_cache edge;
    proxy_cache_valid 200 206 1h;
    proxy_cache_lock on;
    add_header X-Edge $upstream_cache_status;
}
--- check
my %body = %{ fetch_all('/clip.mp4') };
for my $name (sort keys %body) {
    my $first = fetch("/edge/clip.mp4/$name");
    my $second = fetch("/edge/clip.mp4/$name");
    is($first->{headers}{'x-edge'} . $second->{headers}{'x-edge'}, 'MISSHIT',
       "$name: kept");
    ok($first->{content} eq $body{$name} && $second->{content} eq $body{$name},
       "$name: the same bytes");
    is($second->{headers}{etag}, fetch("/clip.mp4/$name")->{headers}{etag},
       "$name: the same tag");
    my $part = fetch("/edge/clip.mp4/$name", Range => 'bytes=3-12');
    is($part->{content}, substr($body{$name}, 3, 10), "$name: a range");
}


=== TEST 5: behind proxy_cache with slices
--- http_config
proxy_cache_path $TEST_NGINX_SERVER_ROOT/slice_cache keys_zone=edge:1m;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /fixtures/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
location /edge/ {
    slice 4k;
    proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    proxy_set_header Range $slice_range;
    proxy_cache edge;
    proxy_cache_key $uri$slice_range;
    proxy_cache_valid 200 206 1h;
}
--- check
for my $url ('/clip.mp4/v1/1.m4s', '/clip.mp4/a1/2.m4s', '/clip.mp4/master.m3u8',
             '/clip.mp4/v1/init.mp4', '/fixtures/interleave-sample.mp4/v1/1.m4s',
             '/fixtures/interleave-track.mp4/v1/1.m4s')
{
    my $whole = fetch($url)->{content};
    for my $time (1, 2) {
        my $edge = fetch("/edge$url");
        is($edge->{status}, 200, "$url: time $time");
        ok($edge->{content} eq $whole, "$url: the same bytes");
    }
    next if length $whole < 9000;
    my $part = fetch("/edge$url", Range => 'bytes=4000-8999');
    is($part->{status}, 206, "$url: a range over slices");
    ok($part->{content} eq substr($whole, 4000, 5000), "$url: its bytes");
}


=== TEST 6: slices as subrequests of the media server itself
--- config
location / {
    vod on;
    slice 4k;
    root $TEST_NGINX_FILES;
}
location /plain/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
--- check
my $answer = fetch('/clip.mp4/v1/1.m4s');
is($answer->{status}, 200, 'served');
ok($answer->{content} eq fetch('/plain/clip.mp4/v1/1.m4s')->{content},
   'the same bytes');


=== TEST 7: sub_filter and addition around playlists
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    sub_filter_types application/vnd.apple.mpegurl;
    sub_filter 'v1/index.m3u8' 'v1/index.m3u8?token=x';
}
--- check
like(fetch('/clip.mp4/master.m3u8')->{content},
     qr{^v1/index\.m3u8\?token=x$}m, 'rewritten');
