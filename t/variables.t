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


=== TEST 7: how long the index took, and what was read
--- http_config
log_format index '$vod_kind $vod_cache $vod_index_time $vod_read_bytes $vod_error';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log $TEST_NGINX_SERVER_ROOT/logs/index.log index;
}
location = /status { vod_status; }
--- check
hold('long.mp4');
my @sockets = ask_all('/long.mp4/master.m3u8', '/long.mp4/v1/index.m3u8');
waiting(1);
select undef, undef, undef, 1.1;
release('long.mp4');
read_all(@sockets);
fetch('/long.mp4/manifest.mpd');
my $segment = length fetch('/long.mp4/v1/1.m4s')->{content};
my $head = fetch('/long.mp4/v1/1.m4s', method => 'HEAD')->{status};
my @lines;
wait_for(sub {
    @lines = split /\n/, slurp("$ENV{TEST_NGINX_SERVROOT}/logs/index.log");
    return @lines == 5;
}, 10);
my %line = map { /^(\S+ \S+) (.*)/ ? ($1 => $2) : () } @lines[0 .. 3];
like($line{'master MISS'}, qr/^\d+\.\d{3} \d+ -$/, 'who builds');
like($line{'media WAIT'}, qr/^\d+\.\d{3} 0 -$/, 'who waits reads nothing');
my ($built, $read) = split / /, $line{'master MISS'};
my ($waited) = split / /, $line{'media WAIT'};
cmp_ok($built, '>=', 1.09, 'its time');
cmp_ok($waited, '>=', 1.09, 'the time of the other');
cmp_ok($waited, '<', 25, 'in seconds');
is($line{'manifest HIT'}, '- 0 -', 'who finds it');
my ($time, $bytes) = split / /, $line{'segment HIT'};
is($time, '-', 'a segment');
cmp_ok($bytes, '>', 0, 'what is gathered is read');
cmp_ok($bytes, '<=', $segment, 'and no more');
is($read + $bytes, status_page()->{source_read_bytes}, 'the sum of all');
is($lines[4], 'segment HIT - 0 -', 'HEAD reads nothing');


=== TEST 8: what went wrong
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    add_header X-Error "[$vod_error]" always;
}
location /fixtures/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
    add_header X-Error "[$vod_error]" always;
}
location /denied/ {
    vod on;
    deny all;
    add_header X-Error "[$vod_error]" always;
}
location /elsewhere/ { add_header X-Error "[$vod_error]" always; }
location = /status { vod_status; }
--- setup
write_file(files_dir() . '/text.mp4', "no media\n" x 100);
--- check
my @wanted = (
    ['/clip.mp4/master.m3u8', '[]'],
    ['/clip.mp4/v1/1.m4s', '[]'],
    ['/nosuch.mp4/master.m3u8', '[not_found]'],
    ['/clip.mp4/nothing', '[not_found]'],
    ['/clip.mp4/v9/1.m4s', '[not_found]'],
    ['/clip.mp4/v1/999.m4s', '[not_found]'],
    ['/clip.mp4/v1/1-0123456789ab.m4s', '[not_found]'],
    ['/fixtures/mpeg2.mp4/master.m3u8', '[unsupported]'],
    ['/text.mp4/master.m3u8', '[damaged]'],
    ['/denied/clip.mp4/master.m3u8', '[forbidden]'],
    ['/elsewhere/clip.mp4/master.m3u8', '[]'],
);
is(fetch($_->[0])->{headers}{'x-error'}, $_->[1], $_->[0]) for @wanted;
is(fetch('/text.mp4/master.m3u8')->{headers}{'x-error'}, '[damaged]', 'remembered');
is(fetch('/clip.mp4/v1/1.m4s', method => 'POST')->{headers}{'x-error'}, '[method]',
   'POST');
is(fetch('/clip.mp4/v1/1.m4s', Range => 'bytes=99999999-')->{status}, 416,
   'a range behind the end');
my $errors = status_page()->{errors};
is($errors->{not_found}, 5, 'counted: not found');
is($errors->{damaged}, 2, 'damaged');
is($errors->{method}, 1, 'methods');
is($errors->{range}, 1, 'ranges');
is($errors->{forbidden}, 0, 'who is turned away before us is not ours');


=== TEST 9: limits by their directive
--- http_config
vod_max_tracks 1;
vod_max_samples 100;
log_format error '$vod_asset $vod_error';
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    error_page 422 /refused;
    access_log $TEST_NGINX_SERVER_ROOT/logs/error.log2 error;
}
location = /refused {
    access_log $TEST_NGINX_SERVER_ROOT/logs/error.log2 error;
    internal;
    return 422 "refused\n";
}
location = /status { vod_status; }
--- check
is(fetch('/clip.mp4/master.m3u8')->{content}, "refused\n", 'an error page');
is(fetch('/sound.mp4/master.m3u8')->{status}, 422, 'too many samples');
my $log;
wait_for(sub {
    $log = slurp("$ENV{TEST_NGINX_SERVROOT}/logs/error.log2");
    return 2 == (() = $log =~ /\n/g);
}, 10);
is($log, "- limit_tracks\n- limit_samples\n", 'both are known behind it');
my $status = status_page();
is($status->{errors}{$_}, 1, $_) for qw(limit_tracks limit_samples);
is($status->{index_failures}{$_}, 1, "a build: $_") for qw(limit_tracks limit_samples);


=== TEST 10: a client that leaves
--- http_config
log_format error '$status $vod_error';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log $TEST_NGINX_SERVER_ROOT/logs/left.log error;
}
location = /status { vod_status; }
--- check
hold('long.mp4');
my @sockets = ask_all('/long.mp4/master.m3u8', '/long.mp4/v1/index.m3u8');
waiting(1);
close $_ for @sockets;
waiting(0);
release('long.mp4');
my $log;
wait_for(sub {
    $log = slurp("$ENV{TEST_NGINX_SERVROOT}/logs/left.log");
    return 2 == (() = $log =~ /\n/g);
}, 10);
is($log, "499 closed\n499 closed\n", 'both');


=== TEST 11: what is full, slow, or unreadable
--- http_config
vod_max_waiting 1;
vod_index_timeout 1s;
log_format error '$vod_kind $status $vod_error';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log $TEST_NGINX_SERVER_ROOT/logs/full.log error;
}
location = /status { vod_status; }
--- check
hold('long.mp4');
my @sockets = ask_all('/long.mp4/master.m3u8', '/long.mp4/manifest.mpd');
waiting(1);
fetch('/long.mp4/v1/index.m3u8');
my ($build, $wait) = @sockets;
read_all($wait);
release('long.mp4');
read_all($build);
order('fail.long.mp4', 5);
fetch('/long.mp4/v1/init.mp4');
cancel('fail.long.mp4');
my @lines;
wait_for(sub {
    @lines = split /\n/, slurp("$ENV{TEST_NGINX_SERVROOT}/logs/full.log");
    return @lines == 4;
}, 10);
is_deeply([sort @lines], ['init 500 io', 'manifest 503 timeout',
                          'master 503 timeout', 'media 503 busy'], 'codes');
my $status = status_page();
is($status->{errors}{timeout}, 2, 'timeout');
is($status->{errors}{$_}, 1, $_) for qw(busy io);
is($status->{index_failures}{$_}, 1, "a build: $_") for qw(timeout io);
--- allow_log: reading\ \d+\ bytes
