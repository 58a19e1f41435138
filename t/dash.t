# The MPD.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: the MPD of video with audio
--- request
GET /clip.mp4/manifest.mpd
--- response_headers
Content-Type: application/dash+xml
Accept-Ranges: bytes
--- response_body_like chop
\A<\?xml version="1.0" encoding="UTF-8"\?>\s*<MPD .*xmlns="urn:mpeg:dash:schema:mpd:2011"
--- check
my $mpd = fetch('/clip.mp4/manifest.mpd')->{content};
my $token = token_of('/clip.mp4/v1/index.m3u8');

like($mpd, qr/<MPD[^>]*\stype="static"/, 'static');
like($mpd, qr/<MPD[^>]*\sminBufferTime="PT/, 'minBufferTime');
like($mpd, qr/mediaPresentationDuration="PT3\.0/, 'three seconds');
is(() = $mpd =~ /<AdaptationSet\b/g, 2, 'two adaptation sets');
is(() = $mpd =~ /<Representation\b/g, 2, 'two representations');
unlike($mpd, qr{https?://(?!www\.w3\.org)|<BaseURL}, 'relative URLs');

my ($video, $audio) = $mpd =~ m{(<AdaptationSet\b.*?</AdaptationSet>)}gs;
like($video, qr/contentType="video"/, 'video first');
like($video, qr{mimeType="video/mp4"}, 'its type');
like($video, qr/codecs="avc1\.64000[Dd]"/, 'its codec');
like($video, qr/width="320"/, 'width');
like($video, qr/height="180"/, 'height');
like($video, qr{frameRate="30000/1001"}, 'frame rate');
like($video, qr/sar="1:1"/, 'shape of pixels');
like($audio, qr/contentType="audio"/, 'audio second');
like($audio, qr{mimeType="audio/mp4"}, 'its type');
like($audio, qr/codecs="mp4a\.40\.2"/, 'its codec');
like($audio, qr/audioSamplingRate="48000"/, 'its rate');
like($audio, qr/lang="und"/, 'its language');
like($audio, qr{<AudioChannelConfiguration[^>]*value="2"}, 'stereo');

for my $case ([$video, 'v1', 30000], [$audio, 'a1', 48000]) {
    my ($set, $track, $timescale) = @$case;
    like($set, qr{initialization="$track/init-$token\.mp4"}, "$track: header");
    like($set, qr{media="$track/\$Number\$-$token\.m4s"}, "$track: segments");
    like($set, qr/timescale="$timescale"/, "$track: timescale");
    like($set, qr/<Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/,
         "$track: role");
}


=== TEST 2: the timeline is that of the media playlist
--- check
for my $track (qw(v1 a1)) {
    my ($timescale, @durations) = timeline('/clip.mp4', $track);
    my @extinf = map { /^#EXTINF:([\d.]+),/ ? $1 : () }
        lines_of("/clip.mp4/$track/index.m3u8");
    is(@durations, @extinf, "$track: as many segments");
    my ($a, $b, $off) = (0, 0, 0);
    for my $n (0 .. $#extinf) {
        $a += $durations[$n] / $timescale;
        $b += $extinf[$n];
        $off = abs($a - $b) if abs($a - $b) > $off;
    }
    cmp_ok($off, '<=', 1.5e-6, "$track: of the same lengths");
}

sub timeline {
    my ($asset, $track) = @_;
    my $mpd = fetch("$asset/manifest.mpd")->{content};
    my ($set) = $mpd =~ m{(<SegmentTemplate[^>]*"\Q$track\E/init.*?
                           </SegmentTemplate>)}sx;
    my ($timescale) = $set =~ /timescale="(\d+)"/;
    my @durations;
    while ($set =~ m{<S\b([^>]*)/?>}g) {
        my $s = $1;
        my ($d) = $s =~ /\bd="(\d+)"/;
        my $r = $s =~ /\br="(\d+)"/ ? $1 : 0;
        push @durations, ($d) x ($r + 1);
    }
    return ($timescale, @durations);
}


=== TEST 3: equal durations are repeated
--- check
my $mpd = fetch('/clip.mp4/manifest.mpd')->{content};
like($mpd, qr/<S t="0" d="30030" r="2"\s*\/>/, 'three segments of 1.001 s');


=== TEST 4: languages, labels, roles
--- check
my $mpd = fetch('/fixtures/languages.mp4/manifest.mpd')->{content};
my @audio = grep { /contentType="audio"/ }
    $mpd =~ m{(<AdaptationSet\b.*?</AdaptationSet>)}gs;
is(lc join(' ', sort map { /lang="([^"]*)"/ } @audio), 'en fr ja pt-br',
   'languages');
is(grep({ /<Role[^>]*value="main"/ } @audio), 1, 'one main');
unlike($mpd, qr/&(?!amp;|lt;|gt;|quot;|apos;|#)/, 'text is escaped');
like($mpd, qr/<Label>[^<]+<\/Label>/, 'labels');


=== TEST 5: what a set cannot share is not in one set
--- check
my $mpd = fetch('/fixtures/video-two.mp4/manifest.mpd')->{content};
my @video = grep { /contentType="video"/ }
    $mpd =~ m{(<AdaptationSet\b.*?</AdaptationSet>)}gs;
is(() = "@video" =~ m{"(v\d)/init}g, 2, 'both tracks are there');


=== TEST 6: pixels, rates, channels
--- check
my %wanted = (
    'pasp.mp4' => qr/sar="16:15"/,
    'h264-5994.mp4' => qr{frameRate="60000/1001"},
    'h264-no-b.mp4' => qr{frameRate="30(?:/1)?"},
    'aac-51.mp4' => qr/AudioChannelConfiguration[^>]*value="6"/,
    'aac-mono-22050.m4a' => qr/audioSamplingRate="22050"/,
    'ac3.mp4' => qr/AudioChannelConfiguration/,
);

for my $file (sort keys %wanted) {
    like(fetch("/fixtures/$file/manifest.mpd")->{content}, $wanted{$file},
         $file);
}


=== TEST 7: a track that begins late starts late
--- check
my $mpd = fetch('/fixtures/audio-late.mp4/manifest.mpd')->{content};
my ($audio) = grep { /contentType="audio"/ }
    $mpd =~ m{(<AdaptationSet\b.*?</AdaptationSet>)}gs;
my ($t) = $audio =~ /<S t="(\d+)"/;
my ($timescale) = $audio =~ /timescale="(\d+)"/;
cmp_ok(abs($t / $timescale - 1.2), '<', 0.03, 'first S@t');
