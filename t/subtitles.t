# Subtitles inside a file: what is shown is what FFmpeg reads in it, over HLS
# and over DASH, however it is cut, and however the file is read.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every track of text of every fixture that has one
--- workers: 2
--- config
location /six/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
location /one/ {
    vod on;
    vod_segment_duration 1s;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
for my $prefix (qw(six one)) {
    run_checks($prefix, 'texts.py', '--base', base_url() . "/$prefix",
               '--root', $VodTest::Fixtures, '--drop', '^m 0 0 l',
               qw(text.mp4:s1:text.mp4:0 subs.mp4:s1:subs.mp4:0
                  subs.mp4:s2:subs.mp4:1 subs.mkv:s1:subs.mkv:0
                  subs.mkv:s2:subs.mkv:1 subs.mkv:s3:subs.mkv:2
                  cues-subs.mkv:s1:cues-subs.mkv:0
                  cues-subs.mkv:s2:cues-subs.mkv:1
                  cues-subs.mkv:s3:cues-subs.mkv:2
                  mkv-beside.mkv:s1:mkv-beside.mkv:0));
}
