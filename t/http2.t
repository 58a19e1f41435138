# HTTP/2.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    skip_suite('curl is not installed') if !have_command('curl');
    skip_suite('curl has no HTTP/2') if `curl -V` !~ /\bHTTP2\b/;
    skip_suite('openssl is not installed') if !have_command('openssl');
    skip_suite('nginx has no HTTP/2')
        if `$ENV{TEST_NGINX_BINARY} -V 2>&1` !~ /http_v2_module/;
}

use Test::Nginx::Socket 'no_plan';

make_certificate();
run_tests();

__DATA__

=== TEST 1: every body over HTTP/2
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 http2;
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
--- check
my $base = "http://127.0.0.1:$ENV{TEST_NGINX_PORT_1}";
my %body = %{ fetch_all('/clip.mp4') };
for my $name (sort keys %body) {
    my ($out, $err) = capture('curl', '-sS', '--http2-prior-knowledge', '-w',
                              '%{stderr}%{http_version} %{http_code}',
                              "$base/clip.mp4/$name");
    is($err, '2 200', "$name: answered");
    ok($out eq $body{$name}, "$name: the same bytes");
}


=== TEST 2: many streams of one connection
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 ssl http2;
ssl_certificate $TEST_NGINX_FILES/tls.crt;
ssl_certificate_key $TEST_NGINX_FILES/tls.key;
location / {
    vod on;
    sendfile on;
    aio threads;
    vod_segment_duration 1s;
    root $TEST_NGINX_FIXTURES;
}
--- check
my $base = "https://127.0.0.1:$ENV{TEST_NGINX_PORT_1}";
for my $file (qw(interleave-sample.mp4 interleave-track.mp4)) {
    my (undef, @segments) = media_urls("/$file/v1/index.m3u8");
    my (undef, @audio) = media_urls("/$file/a1/index.m3u8");
    my @urls = (@segments, @audio) x 3;
    my ($out, $err, $status) = capture('curl', '-sSk', '-Z', '--parallel-max',
        '50', '--http2',
        map { ('-o', files_dir() . "/stream.$_", "$base$urls[$_]") } 0 .. $#urls);
    is($status, 0, "$file: $err");
    my @wrong = grep { slurp(files_dir() . "/stream.$_")
                       ne fetch($urls[$_])->{content} } 0 .. $#urls;
    is("@wrong", '', "$file: each with its own bytes");
}


=== TEST 3: HEAD, ranges, conditions, errors
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 http2;
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- check
my $url = "http://127.0.0.1:$ENV{TEST_NGINX_PORT_1}/clip.mp4/v1/1.m4s";
my $whole = fetch('/clip.mp4/v1/1.m4s');
my @curl = ('curl', '-sS', '--http2-prior-knowledge');

my ($head) = capture(@curl, '-I', $url);
like($head, qr{^HTTP/2 200}, 'HEAD');
like($head, qr/^content-length: \Q$whole->{headers}{'content-length'}\E\r?$/mi,
     'its length');
my ($part) = capture(@curl, '-r', '100-199', $url);
ok($part eq substr($whole->{content}, 100, 100), 'a range');
my ($not) = capture(@curl, '-I', '-H',
                    "If-None-Match: $whole->{headers}{etag}", $url);
like($not, qr{^HTTP/2 304}, 'not modified');
my ($missing) = capture(@curl, '-I', "${url}x");
like($missing, qr{^HTTP/2 404}, 'missing');


=== TEST 4: a stream that is cancelled
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 http2;
location / {
    vod on;
    vod_segment_duration 60s;
    root $TEST_NGINX_FIXTURES;
}
--- check
my $url = "http://127.0.0.1:$ENV{TEST_NGINX_PORT_1}/long.mp4/v1/1.m4s";
for (1 .. 5) {
    capture('curl', '-sS', '--http2-prior-knowledge', '--limit-rate', '10k',
            '--max-time', '0.2', '-o', '/dev/null', $url);
}
my ($out) = capture('curl', '-sS', '--http2-prior-knowledge', $url);
ok($out eq fetch('/long.mp4/v1/1.m4s')->{content}, 'others go on');
