# I-frame playlists.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: the whole of one
--- check
my $token = token_of('/clip.mp4/v1/index.m3u8');
my $answer = fetch('/clip.mp4/v1/iframes.m3u8');
is($answer->{headers}{'content-type'}, 'application/vnd.apple.mpegurl', 'type');
like($answer->{headers}{etag}, qr/^"[0-9a-f]+"$/, 'ETag');
isnt($answer->{headers}{etag},
     fetch('/clip.mp4/v1/index.m3u8')->{headers}{etag}, 'of its own');
my $text = $answer->{content};
is($text =~ s/(?<=BYTERANGE:)\d+/N/gr, <<"END", 'an entry a segment');
#EXTM3U
#EXT-X-VERSION:6
#EXT-X-TARGETDURATION:1
#EXT-X-MEDIA-SEQUENCE:1
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-I-FRAMES-ONLY
#EXT-X-MAP:URI="init-$token.mp4"
#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z
#EXTINF:1.001000,
#EXT-X-BYTERANGE:N\@0
1-$token.m4s
#EXTINF:1.001000,
#EXT-X-BYTERANGE:N\@0
2-$token.m4s
#EXTINF:1.001000,
#EXT-X-BYTERANGE:N\@0
3-$token.m4s
#EXT-X-ENDLIST
END
is(fetch('/clip.mp4/v1/iframes.m3u8',
         'If-None-Match' => $answer->{headers}{etag})->{status},
   304, 'not modified');
my ($out) = vodtool('-d', '1', 'iframes', files_dir() . '/clip.mp4', 'v1');
is($out, $text, 'vodtool writes the same');


=== TEST 2: a range is one picture to FFmpeg
--- check
for my $file (qw(long-gop.mp4 h264-open-gop.mp4 h264-high10.mp4 hevc-hvc1.mp4
                 hevc-hev1.mp4 av1.mp4 vp9.mp4 rotate-90.mp4 frag-cmaf.mp4
                 video-late.mp4 vfr.mp4 one-frame-with-audio.mp4))
{
    my $folder = "/fixtures/$file/v1";
    my $answer = fetch("$folder/iframes.m3u8");

    if ($file =~ /^one-frame/) {
        is($answer->{status}, 404, "$file: every sample is a sync sample");
        next;
    }

    my ($map) = $answer->{content} =~ /EXT-X-MAP:URI="([^"]+)"/;
    my $header = fetch("$folder/$map")->{content};
    my ($n, $pictures, $read, $all) = (0, 0, 0, 0);

    while ($answer->{content} =~ /BYTERANGE:(\d+)\@0\n(\S+)/g) {
        my ($length, $name) = ($1, $2);
        my $part = fetch("$folder/$name",
            Range => 'bytes=0-' . ($length - 1));
        is($part->{status}, 206, "$file: $name") or last;
        is(length $part->{content}, $length, "$file: $name: its bytes");

        $n++;
        $read += $length;
        $all += $1 if $part->{headers}{'content-range'} =~ m{/(\d+)$};

        write_file(files_dir() . '/picture.mp4', $header . $part->{content});
        my $frames = `ffmpeg -nostdin -v quiet -i "@{[ files_dir() ]}/picture.mp4" \\
                      -f framemd5 - 2>&1`;
        $pictures += () = $frames =~ /^\d.*$/mg;
    }

    cmp_ok($n, '>', 0, "$file: entries");
    is($pictures, $n, "$file: one picture each");
    cmp_ok($read, '<', $all, "$file: fewer bytes than the segments");
}


=== TEST 3: what has none
--- check
for my $path ('/fixtures/no-stss.mp4/v1', '/clip.mp4/a1',
              '/fixtures/audio-only.m4a/a1', '/fixtures/one-frame.mp4/v1')
{
    is(fetch("$path/iframes.m3u8")->{status}, 404, $path);
}
for my $file ('no-stss.mp4', 'audio-only.m4a', 'one-frame.mp4') {
    unlike(fetch("/fixtures/$file/master.m3u8")->{content}, qr/I-FRAME/,
           "$file: nor does the multivariant playlist name one");
}
