# Media playlists.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: the whole of a video playlist
--- check
my $token = token_of('/clip.mp4/v1/index.m3u8');
my $answer = fetch('/clip.mp4/v1/index.m3u8');
is($answer->{headers}{'content-type'}, 'application/vnd.apple.mpegurl', 'type');

my @lines = split /\n/, $answer->{content};
my @head = splice @lines, 0, 7;
is($head[0], '#EXTM3U', 'first line');
is(join("\n", sort @head[1 .. 6]), join("\n", sort(
    '#EXT-X-VERSION:6', '#EXT-X-TARGETDURATION:1', '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-MEDIA-SEQUENCE:1',
    '#EXT-X-INDEPENDENT-SEGMENTS', "#EXT-X-MAP:URI=\"init-$token.mp4\"")),
   'the tags before the segments');

is(join("\n", @lines), join("\n",
    '#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z',
    '#EXTINF:1.001000,', "1-$token.m4s",
    '#EXTINF:1.001000,', "2-$token.m4s",
    '#EXTINF:1.001000,', "3-$token.m4s",
    '#EXT-X-ENDLIST'), 'the segments');
like($answer->{content}, qr/\n\z/, 'the last line is ended');


=== TEST 2: audio is cut at the same times
--- check
my @lines = lines_of('/clip.mp4/a1/index.m3u8');
my @durations = map { /^#EXTINF:([\d.]+),/ } @lines;
my $sum = 0;
my @at = map { $sum += $_ } @durations;

cmp_ok(@durations, '>=', 3, 'at least as many segments');
for my $n (0, 1) {
    my $cut = 1.001 * ($n + 1);
    cmp_ok($at[$n], '>=', $cut - 1e-6, "cut $n is not early");
    cmp_ok($at[$n], '<', $cut + 1024 / 48000, "nor a frame late");
}


=== TEST 3: one target duration for all tracks
--- check
for my $file (qw(clip.mp4 audio-late.mp4 audio-long.mp4 long-gop.mp4 long.mp4
                 video-late.mp4 one-frame-with-audio.mp4))
{
    my %target;
    for my $track (qw(v1 a1)) {
        my ($line) = grep { /^#EXT-X-TARGETDURATION:/ }
            lines_of("/fixtures/$file/$track/index.m3u8");
        $target{$line} = 1;
    }
    is(keys %target, 1, $file) or diag(join ' ', keys %target);
}


=== TEST 4: sparse key frames make long segments
--- check
my @durations = map { /^#EXTINF:([\d.]+),/ ? $1 : () }
    lines_of('/fixtures/long-gop.mp4/v1/index.m3u8');
is($durations[0], '12.000000', 'up to the next key frame');
my ($target) = map { /^#EXT-X-TARGETDURATION:(\d+)/ }
    lines_of('/fixtures/long-gop.mp4/v1/index.m3u8');
is($target, 12, 'the target duration is theirs');


=== TEST 5: audio alone is cut at multiples of the target
--- config
location / {
    vod on;
    vod_segment_duration 2s;
    root $TEST_NGINX_FIXTURES;
}
--- check
my @durations = map { /^#EXTINF:([\d.]+),/ ? $1 : () }
    lines_of('/audio-only.m4a/a1/index.m3u8');
my $sum = 0;
cmp_ok(@durations, '>', 1, 'several segments');
for my $n (1 .. @durations - 1) {
    $sum += $durations[$n - 1];
    cmp_ok($sum, '>=', 2 * $n - 1e-6, "cut $n is not early");
    cmp_ok($sum, '<', 2 * $n + 2048 / 44100, "nor late");
}


=== TEST 6: EXTINF does not drift over a long file
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FIXTURES;
}
--- check
for my $track (qw(v1 a1)) {
    my @durations = map { /^#EXTINF:(\d+)\.(\d{6}),/ ? $1 * 1000000 + $2 : () }
        lines_of("/long.mp4/$track/index.m3u8");
    my $sum = 0;
    $sum += $_ for @durations;
    my ($stream) = $track =~ /^(.)/;
    my ($out) = capture('ffprobe', '-v', 'error', '-select_streams', $stream,
                        '-show_entries', 'packet=pts_time,duration_time',
                        '-of', 'csv=p=0', "$VodTest::Fixtures/long.mp4");
    my $end = 0;
    for my $line (split /\n/, $out) {
        my ($pts, $duration) = split /,/, $line;
        next if ($pts // '') !~ /\d/;
        $end = $pts + $duration if $pts + $duration > $end;
    }
    cmp_ok(abs($sum - $end * 1e6), '<=', 1.5, "$track: $sum us in "
           . @durations . ' segments');
}


=== TEST 7: tracks that begin late keep their place
--- check
for my $case (['audio-late.mp4', 'a1', 1.2], ['video-late.mp4', 'v1', 0.7]) {
    my ($file, $track, $late) = @$case;
    my %sum;
    for my $name (qw(v1 a1)) {
        my @durations = map { /^#EXTINF:([\d.]+),/ ? $1 : () }
            lines_of("/fixtures/$file/$name/index.m3u8");
        $sum{$name} += $_ for @durations;
    }
    my $other = $track eq 'a1' ? 'v1' : 'a1';
    cmp_ok($sum{$track}, '>', $late, "$file: $track includes its late start");
    my ($map, $first) = media_urls("/fixtures/$file/$track/index.m3u8");
    my $segment = fetch($first)->{content};
    my ($tfdt) = $segment =~ /tfdt\x01\0\0\0(.{8})/s;
    cmp_ok(unpack('Q>', $tfdt), '>', 0, "$file: its first tfdt is late");
}


=== TEST 8: one frame
--- check
my @lines = lines_of('/fixtures/one-frame.mp4/v1/index.m3u8');
is(grep({ /^#EXTINF:/ } @lines), 1, 'one segment');
is(grep({ /^#EXT-X-TARGETDURATION:[1-9]/ } @lines), 1,
   'its target duration is at least one');


=== TEST 9: relative URLs, all in the folder of the playlist
--- check
for my $track (qw(v1 a1)) {
    my @uris = grep { /^[^#]/ } lines_of("/clip.mp4/$track/index.m3u8");
    is(grep({ m{[/:?]} } @uris), 0, $track);
}
