# Configurations that are good: contexts, defaults, inheritance.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

repeat_each(2);
run_tests();

__DATA__

=== TEST 1: vod on and root are enough
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/master.m3u8
--- response_headers
Content-Type: application/vnd.apple.mpegurl
--- response_body_like chop
\A#EXTM3U\n
--- check
my @rest = grep { fetch("/clip.mp4/$_")->{status} != 200 }
    qw(manifest.mpd v1/index.m3u8 v1/init.mp4 v1/1.m4s a1/1.m4s);
is("@rest", '', 'everything else is served too');


=== TEST 2: vod off leaves the location to others
--- config
location / {
    vod off;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/master.m3u8
--- error_code: 404
--- check
my $file = fetch('/clip.mp4');
is($file->{status}, 200, 'a file is a file');
ok($file->{content} eq slurp(files_dir() . '/clip.mp4'), 'whole');


=== TEST 3: a location inside a vod location is one, unless it says otherwise
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;

    location /inner/ {
        alias $TEST_NGINX_FILES/;
    }
    location /plain/ {
        vod off;
        alias $TEST_NGINX_FILES/;
    }
    location /answer/ {
        return 204;
    }
}
--- check
my (undef, @segments) = media_urls('/inner/clip.mp4/v1/index.m3u8');
is(@segments, 3, 'with the settings around it');
is(fetch('/plain/clip.mp4/master.m3u8')->{status}, 404, 'vod off');
is(fetch('/plain/clip.mp4')->{status}, 200, 'the file itself is served there');
is(fetch('/answer/clip.mp4/master.m3u8')->{status}, 204, 'another handler');


=== TEST 4: the target duration is inherited and overridden
--- http_config
vod_segment_duration 1s;
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /long/ {
    vod on;
    vod_segment_duration 60s;
    alias $TEST_NGINX_FILES/;
}
--- check
my (undef, @short) = media_urls('/clip.mp4/v1/index.m3u8');
my (undef, @long) = media_urls('/long/clip.mp4/v1/index.m3u8');
cmp_ok(@short, '>', 1, 'several segments at one second');
is(@long, 1, 'one segment at a minute');


=== TEST 5: the target duration is six seconds
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /six/ {
    vod on;
    vod_segment_duration 6s;
    alias $TEST_NGINX_FILES/;
}
--- check
is(token_of('/clip.mp4/v1/index.m3u8'), token_of('/six/clip.mp4/v1/index.m3u8'),
   'the same token, hence the same settings');


=== TEST 6: durations from 1s to 60s, with milliseconds between
--- config
location /a/ { vod on; vod_segment_duration 1s; alias $TEST_NGINX_FILES/; }
location /b/ { vod on; vod_segment_duration 1500ms; alias $TEST_NGINX_FILES/; }
location /c/ { vod on; vod_segment_duration 60s; alias $TEST_NGINX_FILES/; }
location /d/ { vod on; vod_segment_duration 1m; alias $TEST_NGINX_FILES/; }
--- check
my %token = map { $_ => token_of("/$_/clip.mp4/v1/index.m3u8") } 'a' .. 'd';
isnt($token{a}, $token{b}, 'the duration counts for the token');
isnt($token{b}, $token{c}, 'each of them');
is($token{c}, $token{d}, 'however it is written');


=== TEST 7: vod_zone, vod_mmap and vod_status are taken
--- http_config
vod_zone 8m;
vod_mmap off;
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /mapped/ {
    vod on;
    vod_mmap on;
    alias $TEST_NGINX_FILES/;
}
location /status { vod_status; }
--- check
is(status_page('/status')->{zone}{size}, 8 << 20, 'the zone has the size asked for');
my $read = fetch('/clip.mp4/v1/1.m4s');
my $mapped = fetch('/mapped/clip.mp4/v1/1.m4s');
is($read->{status}, 200, 'read');
ok($read->{content} eq $mapped->{content}, 'mapped, the same bytes');


=== TEST 8: the zone is 64m without being asked
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /status { vod_status; }
--- check
is(status_page()->{zone}{size}, 64 << 20, 'zone size');


=== TEST 9: a configuration without the module's directives starts
--- config
location / {
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4
