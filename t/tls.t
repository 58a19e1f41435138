# TLS.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    skip_suite('openssl is not installed') if !have_command('openssl');
    skip_suite('curl is not installed') if !have_command('curl');
}

use Test::Nginx::Socket 'no_plan';

make_certificate();
run_tests();

__DATA__

=== TEST 1: every body over TLS
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 ssl;
ssl_certificate $TEST_NGINX_FILES/tls.crt;
ssl_certificate_key $TEST_NGINX_FILES/tls.key;
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /fixtures/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
location /threads/ {
    vod on;
    sendfile on;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
my $base = "https://127.0.0.1:$ENV{TEST_NGINX_PORT_1}";
my %body = %{ fetch_all('/clip.mp4') };
for my $name (sort keys %body) {
    my ($out, $err, $status) = capture('curl', '-sSk', "$base/clip.mp4/$name");
    is($status, 0, "$name: $err");
    ok($out eq $body{$name}, "$name: the same bytes");
}
for my $prefix (qw(fixtures threads)) {
    for my $file (qw(interleave-sample.mp4 interleave-track.mp4)) {
        my $url = "/$prefix/$file/v1/1.m4s";
        my ($out) = capture('curl', '-sSk', "$base$url");
        ok($out eq fetch($url)->{content}, $url);
        ($out) = capture('curl', '-sSk', '-r', '777-33333', "$base$url");
        ok($out eq substr(fetch($url)->{content}, 777, 33333 - 777 + 1),
           "$url: a range");
    }
}


=== TEST 2: playlists stay relative
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 ssl;
ssl_certificate $TEST_NGINX_FILES/tls.crt;
ssl_certificate_key $TEST_NGINX_FILES/tls.key;
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- check
my ($out) = capture('curl', '-sSk', "https://127.0.0.1:$ENV{TEST_NGINX_PORT_1}"
                    . '/clip.mp4/manifest.mpd');
unlike($out, qr{127\.0\.0\.1|localhost}, 'no host name');


=== TEST 3: FFmpeg plays it
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 ssl;
ssl_certificate $TEST_NGINX_FILES/tls.crt;
ssl_certificate_key $TEST_NGINX_FILES/tls.key;
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
--- check
my @command = ('ffmpeg', '-nostdin', '-v', 'warning', '-i',
               "https://127.0.0.1:$ENV{TEST_NGINX_PORT_1}/clip.mp4/master.m3u8",
               '-f', 'null', '-');

# FFmpeg 8 and newer verify, and do not hand what is told of certificates to
# the playlists and segments behind the first address

SKIP: {
    my ($out, $err) = capture(@command);

    skip 'this FFmpeg trusts the authorities of the system alone', 1
        if $err =~ /certificate failed verification/;

    quiet('HLS over TLS', @command);
}
