# CMAF headers.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: a header
--- request
GET /clip.mp4/v1/init.mp4
--- response_headers
Content-Type: video/mp4
Accept-Ranges: bytes
--- check
my $token = token_of('/clip.mp4/v1/index.m3u8');
my $plain = fetch('/clip.mp4/v1/init.mp4')->{content};
my $named = fetch("/clip.mp4/v1/init-$token.mp4")->{content};
ok($plain eq $named, 'with and without the token');
is(substr($plain, 4, 4), 'ftyp', 'ftyp comes first');
is(substr($plain, 8, 8), "iso6\0\0\0\0", 'iso6, minor version 0');
like(substr($plain, 16, unpack('N', $plain) - 16), qr/^(?:iso6|cmfc|dash)+$/,
     'brands');
unlike($plain, qr/mdat|moof|udta/, 'nothing else');


=== TEST 2: audio has its own type
--- request
GET /clip.mp4/a1/init.mp4
--- response_headers
Content-Type: audio/mp4


=== TEST 3: sample entries are carried over whole
--- check
run_checks('sample entries', 'entries.py', '--base', base_url() . '/fixtures',
           '--index', "$VodTest::Fixtures/INDEX.tsv",
           '--root', $VodTest::Fixtures);


=== TEST 4: the rotation matrix is kept
--- check
my $init = fetch('/fixtures/rotate-90.mp4/v1/init.mp4')->{content};
my ($tkhd) = $init =~ /tkhd(.{84})/s;
my @matrix = unpack 'l>9', substr $tkhd, 40, 36;
is_deeply([@matrix[0, 1, 3, 4]], [0, 65536, -65536, 0], 'a quarter turn')
    or diag("@matrix");


=== TEST 5: every header is one libavformat takes for what it is
--- check
for my $case (['h264-no-b.mp4', 'v1', 'h264'], ['hevc-hev1.mp4', 'v1', 'hevc'],
              ['av1.mp4', 'v1', 'av1'], ['vp9.mp4', 'v1', 'vp9'],
              ['opus.mp4', 'a1', 'opus'], ['ac3.mp4', 'a1', 'ac3'],
              ['eac3.mp4', 'a1', 'eac3'], ['flac.mp4', 'a1', 'flac'],
              ['mp3.mp4', 'a1', 'mp3'], ['aac-51.mp4', 'a1', 'aac'],
              ['quicktime.mov', 'a1', 'aac'])
{
    my ($file, $track, $codec) = @$case;
    my $path = files_dir() . '/probe.mp4';
    write_file($path, fetch("/fixtures/$file/$track/init.mp4")->{content}
               . fetch("/fixtures/$file/$track/1.m4s")->{content});
    my ($out, $err) = capture('ffprobe', '-v', 'warning', '-show_entries',
                              'stream=codec_name', '-of',
                              'default=nw=1:nk=1', $path);
    like($out, qr/^\Q$codec\E$/m, $file);
    is($err, '', "$file, without a warning");
}


=== TEST 6: out of range
--- check
is(fetch("/clip.mp4/$_/init.mp4")->{status}, 404, $_) for qw(v2 a2 s1 v0);
