# FFmpeg as a player of HLS and of DASH has nothing to say about any fixture.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every fixture over HLS and over DASH
--- workers: 2
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_checks('ffmpeg', 'play.py', '--base', base_url(),
           '--index', "$VodTest::Fixtures/INDEX.tsv");


=== TEST 2: many segments
--- workers: 2
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FIXTURES;
}
--- check
for my $file (qw(interleave-sample.mp4 audio-late.mp4 h264-open-gop.mp4
                 vfr.mp4))
{
    for my $name (qw(master.m3u8 manifest.mpd)) {
        quiet("$file/$name", 'ffmpeg', '-nostdin', '-v', 'warning', '-i',
              base_url() . "/$file/$name", '-f', 'null', '-');
    }
}


=== TEST 3: it would say something of a broken segment
--- setup
my $clip = slurp(files_dir() . '/clip.mp4');
my $at = index($clip, 'mdat') + 4;
substr($clip, $at + 100, 20000) = "\xff" x 20000;
write_file(files_dir() . '/noise.mp4', $clip);
--- check
my ($out, $err) = capture('ffmpeg', '-nostdin', '-v', 'warning', '-i',
                          base_url() . '/noise.mp4/master.m3u8',
                          '-f', 'null', '-');
isnt("$out$err", '', 'noise');
