# End to end: what a client receives over HLS and over DASH is the source,
# packet by packet and tick by tick, for every fixture.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every fixture
--- workers: 2
--- config
location /decoded/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
location /second/ {
    vod on;
    vod_segment_duration 1s;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
location /read/ {
    vod on;
    vod_mmap off;
    vod_segment_duration 2300ms;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
run_checks('oracle', 'oracle.py',
           (map { ('--base', base_url() . "/$_") } qw(decoded second read)),
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);
