# Media types, and headers that other modules of nginx add.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: media types
--- check
my %types = (
    'master.m3u8' => 'application/vnd.apple.mpegurl',
    'v1/index.m3u8' => 'application/vnd.apple.mpegurl',
    'a1/index.m3u8' => 'application/vnd.apple.mpegurl',
    'manifest.mpd' => 'application/dash+xml',
    'v1/init.mp4' => 'video/mp4', 'v1/1.m4s' => 'video/mp4',
    'a1/init.mp4' => 'audio/mp4', 'a1/1.m4s' => 'audio/mp4',
);
is(fetch("/clip.mp4/$_")->{headers}{'content-type'}, $types{$_}, $_)
    for sort keys %types;


=== TEST 2: types and default_type of the configuration change nothing
--- config
location / {
    vod on;
    types { text/x-wrong m3u8 mpd mp4 m4s; }
    default_type text/x-worse;
    root $TEST_NGINX_FILES;
}
--- check
is(fetch('/clip.mp4/v1/1.m4s')->{headers}{'content-type'}, 'video/mp4',
   'segment');
is(fetch('/clip.mp4/master.m3u8')->{headers}{'content-type'},
   'application/vnd.apple.mpegurl', 'playlist');


=== TEST 3: add_header, expires, charset
--- config
location / {
    vod on;
    add_header Access-Control-Allow-Origin *;
    expires 1h;
    charset utf-8;
    root $TEST_NGINX_FILES;
}
--- check
for my $name (qw(master.m3u8 manifest.mpd v1/init.mp4 v1/1.m4s)) {
    my $answer = fetch("/clip.mp4/$name");
    is($answer->{headers}{'access-control-allow-origin'}, '*', "$name: header");
    is($answer->{headers}{'cache-control'}, 'max-age=3600', "$name: expires");
}
is(fetch('/clip.mp4/v1/1.m4s')->{headers}{'content-type'}, 'video/mp4',
   'no charset on media');


=== TEST 4: gzip of playlists unpacks to the same
--- config
location / {
    vod on;
    gzip on;
    gzip_min_length 1;
    gzip_types application/vnd.apple.mpegurl application/dash+xml;
    root $TEST_NGINX_FILES;
}
--- check
require IO::Uncompress::Gunzip;
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8)) {
    my $packed = fetch("/clip.mp4/$name", 'Accept-Encoding' => 'gzip')->{content};
    my $text;
    IO::Uncompress::Gunzip::gunzip(\$packed => \$text);
    is($text, fetch("/clip.mp4/$name")->{content}, $name);
}


=== TEST 5: keep-alive and pipelining
--- pipelined_requests eval
['GET /clip.mp4/v1/1.m4s', 'GET /clip.mp4/a1/1.m4s',
 'GET /clip.mp4/v1/99.m4s', 'GET /clip.mp4/v1/init.mp4']
--- error_code eval
[200, 200, 404, 200]
--- response_headers eval
['Content-Type: video/mp4', 'Content-Type: audio/mp4',
 'Content-Type: text/html', 'Content-Type: video/mp4']
