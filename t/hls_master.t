# The multivariant playlist.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: video with one audio rendition
--- request
GET /clip.mp4/master.m3u8
--- response_headers
Content-Type: application/vnd.apple.mpegurl
Accept-Ranges: bytes
--- response_body_like chop
\A#EXTM3U\n
--- check
my @lines = lines_of('/clip.mp4/master.m3u8');
my ($media) = grep { /^#EXT-X-MEDIA:/ } @lines;
my ($variant) = grep { /^#EXT-X-STREAM-INF:/ } @lines;

is($lines[0], '#EXTM3U', 'first line');
is(grep({ $_ eq '#EXT-X-INDEPENDENT-SEGMENTS' } @lines), 1,
   'segments are independent');
is(grep({ /^#EXT-X-VERSION/ } @lines), 0, 'no version is needed');
is(grep({ /^#EXT-X-MEDIA:/ } @lines), 1, 'one rendition');
is(grep({ /^#EXT-X-STREAM-INF:/ } @lines), 1, 'one variant');

like($media, qr/TYPE=AUDIO/, 'of audio');
like($media, qr{URI="a1/index\.m3u8"}, 'by a relative URI');
like($media, qr/LANGUAGE="und"/, 'its language is unknown');
like($media, qr/NAME="[^"]+"/, 'it has a name');
like($media, qr/CHANNELS="2"/, 'stereo');
like($media, qr/DEFAULT=YES/, 'it is the default');
like($media, qr/AUTOSELECT=YES/, 'and may be selected');
my ($group) = $media =~ /GROUP-ID="([^"]+)"/;

like($variant, qr/AUDIO="\Q$group\E"/, 'the variant names the group');
like($variant, qr/CODECS="avc1\.64000[Dd],mp4a\.40\.2"/, 'codecs');
like($variant, qr/RESOLUTION=320x180(?:,|$)/, 'resolution');
like($variant, qr/FRAME-RATE=29\.970(?:,|$)/, 'frame rate');
like($variant, qr/CLOSED-CAPTIONS=NONE/, 'no captions');
like($variant, qr/[:,]BANDWIDTH=[1-9]\d+(?:,|$)/, 'peak rate');
like($variant, qr/AVERAGE-BANDWIDTH=[1-9]\d+(?:,|$)/, 'average rate');

my ($next) = grep { $lines[$_] eq $variant } 0 .. $#lines;
is($lines[$next + 1], 'v1/index.m3u8', 'the URI is on the next line');
is("@lines" =~ m{https?:|"/}, '', 'nothing is absolute');


=== TEST 2: video alone
--- check
my @lines = lines_of('/fixtures/video-only.mp4/master.m3u8');
is(grep({ /^#EXT-X-MEDIA:/ } @lines), 0, 'no rendition');
my ($variant) = grep { /^#EXT-X-STREAM-INF:/ } @lines;
unlike($variant, qr/AUDIO=/, 'no group');
like($variant, qr/CODECS="avc1\.[0-9A-Fa-f]{6}"/, 'one codec');


=== TEST 3: audio alone
--- check
my @lines = lines_of('/fixtures/audio-only.m4a/master.m3u8');
my ($variant) = grep { /^#EXT-X-STREAM-INF:/ } @lines;
like($variant, qr/CODECS="mp4a\.40\.2"/, 'one codec');
unlike($variant, qr/RESOLUTION|FRAME-RATE|VIDEO-RANGE/, 'nothing of video');
is($lines[-1], 'a1/index.m3u8', 'the variant is the audio track');


=== TEST 4: two audio tracks alone are one group
--- check
my @lines = lines_of('/fixtures/audio-two.m4a/master.m3u8');
my @media = grep { /^#EXT-X-MEDIA:/ } @lines;
is(@media, 2, 'two renditions');
is(grep({ /DEFAULT=YES/ } @media), 1, 'one default');
cmp_ok(grep({ /^a\d\/index\.m3u8$/ } @lines), '>=', 1, 'a variant');


=== TEST 5: languages and names
--- check
my @lines = lines_of('/fixtures/languages.mp4/master.m3u8');
my @media = grep { /^#EXT-X-MEDIA:/ } @lines;
is(@media, 4, 'four renditions');
is(lc join(' ', map { /LANGUAGE="([^"]*)"/ } @media), 'en fr ja pt-br',
   'languages by BCP 47, in file order');
is(grep({ /DEFAULT=YES/ } @media), 1, 'one default');
like((grep { /DEFAULT=YES/ } @media)[0], qr/LANGUAGE="fr"/,
     'the one the file marks');
my %names = map { /NAME="([^"]*)"/ ? ($1 => 1) : () } @media;
is(keys %names, 4, 'names differ');
is(grep({ /AUTOSELECT=YES/ } @media), 4, 'all may be selected');


=== TEST 6: twelve audio tracks
--- check
my @lines = lines_of('/fixtures/audio-12-tracks.mp4/master.m3u8');
my @media = grep { /^#EXT-X-MEDIA:/ } @lines;
is(join(' ', map { m{URI="(a\d+)/} } @media),
   join(' ', map { "a$_" } 1 .. 12), 'each once, in order');
my %names = map { /NAME="([^"]*)"/ ? ($1 => 1) : () } @media;
is(keys %names, 12, 'names differ');


=== TEST 7: two video tracks
--- check
my @lines = lines_of('/fixtures/video-two.mp4/master.m3u8');
is(grep({ /^#EXT-X-STREAM-INF:/ } @lines), 2, 'two variants');
is(join(' ', grep { /^v/ } @lines), 'v1/index.m3u8 v2/index.m3u8', 'in order');


=== TEST 8: codecs
--- check
my %codecs = (
    'h264-high10.mp4' => qr/avc1\.6E[0-9A-F]{4}/i,
    'hevc-hvc1.mp4' => qr/hvc1\.1\.6\.L\d+(?:\.[0-9A-F]{1,2}){0,6}/,
    'hevc-hev1.mp4' => qr/hvc1\.1\.6\.L\d+(?:\.[0-9A-F]{1,2}){0,6}/,
    'hevc-hdr10.mp4' => qr/hvc1\.2\.4\.[LH]\d+(?:\.[0-9A-F]{1,2}){0,6}/,
    'av1.mp4' => qr/av01\.0\.\d\dM\.08(?:\.[0-9.]+)?/,
    'vp9.mp4' => qr/vp09\.\d\d\.\d\d\.08(?:\.[0-9.]+)?/,
    'opus.mp4' => qr/[^"]+,Opus/,
    'ac3.mp4' => qr/[^"]+,ac-3/,
    'eac3.mp4' => qr/[^"]+,ec-3/,
    'flac.mp4' => qr/[^"]+,fLaC/,
    'mp3.mp4' => qr/[^"]+,mp4a\.(?:40\.34|6[Bb]|69)/,
);

for my $file (sort keys %codecs) {
    my $text = join "\n", lines_of("/fixtures/$file/master.m3u8");
    like($text, qr/CODECS="$codecs{$file}(?:,[^"]*)?"/, $file);
}


=== TEST 9: the picture
--- check
my %wanted = (
    'hevc-hdr10.mp4' => qr/VIDEO-RANGE=PQ/,
    'hevc-hlg.mp4' => qr/VIDEO-RANGE=HLG/,
    'h264-5994.mp4' => qr/FRAME-RATE=59\.940/,
    'pasp.mp4' => qr/RESOLUTION=192x144/,
    'rotate-90.mp4' => qr/RESOLUTION=180x320/,
);

for my $file (sort keys %wanted) {
    my $text = join "\n", lines_of("/fixtures/$file/master.m3u8");
    like($text, $wanted{$file}, $file);
}


=== TEST 10: channels
--- check
my %wanted = ('aac-51.mp4' => 6, 'ac3.mp4' => 6, 'eac3.mp4' => 2,
              'opus.mp4' => 2, 'flac.mp4' => 2, 'mp3.mp4' => 2,
              'clip.mp4' => 2);

for my $file (sort keys %wanted) {
    my $text = join "\n", lines_of("/fixtures/$file/master.m3u8");
    like($text, qr/CHANNELS="$wanted{$file}"/, $file);
}


=== TEST 11: the same bytes each time
--- check
my @bodies = map { fetch('/clip.mp4/master.m3u8')->{content} } 1 .. 3;
ok($bodies[0] eq $bodies[$_], "answer $_") for 1, 2;


=== TEST 12: what a track is for, as MP4 and Matroska say it
--- check
for my $file ('roles.mp4', 'roles.mkv') {
    my @media = grep { /^#EXT-X-MEDIA:/ } lines_of("/fixtures/$file/master.m3u8");
    is(@media, 3, "$file: three renditions");
    like($media[0], qr/DEFAULT=YES/, "$file: the first is the default");
    like($media[1], qr/NAME="[^"]*commentary".*AUTOSELECT=NO/,
         "$file: a commentary is not chosen by itself");
    like($media[2],
         qr/CHARACTERISTICS="public\.accessibility\.describes-video"/,
         "$file: audio description");
    my $mpd = fetch("/fixtures/$file/manifest.mpd")->{content};
    is(() = $mpd =~ /role:2011" value="(?:commentary|description)"/g, 2,
       "$file: roles in the MPD");
}
