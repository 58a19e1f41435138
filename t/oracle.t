# End to end: what a client receives over HLS and over DASH is the source,
# packet by packet and tick by tick, for every fixture.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every fixture, with the defaults, decoded
--- workers: 2
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_checks('oracle', 'oracle.py', '--base', base_url(),
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);


=== TEST 2: every fixture, cut at every second, sent by threads
--- workers: 2
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    aio threads;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_checks('oracle', 'oracle.py', '--base', base_url(), '--no-decode',
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);


=== TEST 3: every fixture, in odd lengths, read instead of mapped
--- workers: 2
--- config
location / {
    vod on;
    vod_mmap off;
    vod_segment_duration 2300ms;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_checks('oracle', 'oracle.py', '--base', base_url(), '--no-decode',
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);
