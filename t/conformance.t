# The rules of CMAF, HLS and DASH that a single-file asset can keep, each named
# by its number, for every fixture.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: with the defaults
--- workers: 2
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_checks('6s', 'conformance.py', '--base', base_url(),
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);


=== TEST 2: cut at every second
--- workers: 2
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_checks('1s', 'conformance.py', '--base', base_url(), '--target', '1',
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);


=== TEST 3: the checks can fail
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
    sub_filter_types *;
    sub_filter_once off;
    sub_filter '#EXT-X-PLAYLIST-TYPE:VOD' '#EXT-X-PLAYLIST-TYPE:EVENT';
    sub_filter 'EXTINF:1.001000' 'EXTINF:1.051000';
    sub_filter 'minBufferTime' 'minimumBufferTime';
    sub_filter ',CLOSED-CAPTIONS=NONE' '';
}
--- check
my ($out, $err, $status) = python('conformance.py', '--base', base_url(),
    '--asset', '/clip.mp4', '--target', '1');
like($err, qr/^$/, 'silent');
isnt($status, 0, 'exit status');
SKIP: {
    skip 'nginx has no sub module', 1
        if `$ENV{TEST_NGINX_BINARY} -V 2>&1` !~ /http_sub_module/;
    ok($out =~ /^not ok/m, 'something fails');
}
