# Variables for logs and maps.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

no_shuffle();
long_sound('sound.mp4', 40);
run_tests();

__DATA__

=== TEST 1: what was asked
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
    add_header X-Vod "[$vod_kind] [$vod_asset] [$vod_track] [$vod_segment]" always;
}
--- check
my $token = token_of('/clip.mp4/v1/index.m3u8');
my %wanted = (
    'master.m3u8' => '[master] [/clip.mp4] [] []',
    'manifest.mpd' => '[manifest] [/clip.mp4] [] []',
    'v1/index.m3u8' => '[media] [/clip.mp4] [v1] []',
    'a1/index.m3u8' => '[media] [/clip.mp4] [a1] []',
    'v1/init.mp4' => '[init] [/clip.mp4] [v1] []',
    "v1/init-$token.mp4" => '[init] [/clip.mp4] [v1] []',
    'v1/2.m4s' => '[segment] [/clip.mp4] [v1] [2]',
    "a1/3-$token.m4s" => '[segment] [/clip.mp4] [a1] [3]',
);
is(fetch("/clip.mp4/$_")->{headers}{'x-vod'}, $wanted{$_}, $_)
    for sort keys %wanted;
is(fetch('/nothing')->{headers}{'x-vod'}, '[] [] [] []', 'none of them');


=== TEST 2: where the index came from
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    add_header X-Cache "[$vod_cache]" always;
}
--- check
is(fetch('/clip.mp4/v1/1.m4s')->{headers}{'x-cache'}, '[MISS]', 'built');
is(fetch('/clip.mp4/v1/1.m4s')->{headers}{'x-cache'}, '[HIT]', 'found');
is(fetch('/clip.mp4/master.m3u8')->{headers}{'x-cache'}, '[HIT]', 'again');
is(fetch('/nosuch.mp4/v1/1.m4s')->{headers}{'x-cache'}, '[]', 'no file');


=== TEST 3: no room in the zone
--- http_config
vod_zone 128k;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
    add_header X-Cache "[$vod_cache]" always;
}
--- check
is(fetch('/sound.mp4/a1/1.m4s')->{headers}{'x-cache'}, '[UNCACHED]', "time $_")
    for 1, 2;


=== TEST 4: the others wait for another's build
--- http_config
log_format cache '$vod_cache';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log $TEST_NGINX_SERVER_ROOT/logs/cache.log cache;
}
location = /status { vod_status; }
--- check
hold('long.mp4');
my @sockets = ask_all(('/long.mp4/master.m3u8') x 40);
waiting(39);
release('long.mp4');
read_all(@sockets);
fetch('/long.mp4/master.m3u8');
my $log;
wait_for(sub {
    $log = slurp("$ENV{TEST_NGINX_SERVROOT}/logs/cache.log");
    return 41 == (() = $log =~ /\n/g);
}, 10);
my %count;
$count{$_}++ for split /\n/, $log;
is($count{MISS}, 1, 'one builds');
is($count{WAIT}, 39, 'the others wait');
is($count{HIT}, 1, 'who comes later finds it');


=== TEST 5: empty elsewhere
--- config
location / {
    return 200 "[$vod_kind] [$vod_asset] [$vod_track] [$vod_segment] [$vod_cache]\n";
}
--- request
GET /clip.mp4/v1/1.m4s
--- response_body
[] [] [] [] []


=== TEST 6: in map and log_format
--- http_config
map $vod_kind $life {
    default 60s;
    segment 1y;
    init    1y;
}
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    expires $life;
}
--- check
is(fetch('/clip.mp4/v1/1.m4s')->{headers}{'cache-control'},
   'max-age=31536000', 'segment');
is(fetch('/clip.mp4/master.m3u8')->{headers}{'cache-control'},
   'max-age=60', 'playlist');
