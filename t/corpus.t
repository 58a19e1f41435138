# Files made by others: those that can be served pass the oracle, the others
# are refused, and no worker ends.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    if (! -d "$VodTest::Media/01_mp4_progressive") {
        skip_suite("no media in $VodTest::Media (VOD_MEDIA)");
    }
    $ENV{TEST_NGINX_MEDIA} = $VodTest::Media;
}

use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: MP4 and MOV, fragmented or not
--- workers: 2
--- config
location /whole/ {
    vod on;
    alias $TEST_NGINX_MEDIA/;
}
location /second/ {
    vod on;
    vod_segment_duration 1s;
    aio threads;
    alias $TEST_NGINX_MEDIA/;
}
--- check
my $index = files_dir() . '/corpus.tsv';
my @rows = ("path\texpect\tvideo\taudio\tnote");
my %count;

# One has samples beyond its end, one sound in fragments that point to other
# bytes and beyond its end, one a codec (xHE-AAC) that FFmpeg of today does not
# know: none can be held against what FFmpeg sees in it.
my %unknown = map { $_ => 1 } qw(
    02_mp4_timing/bear-640x360-no_edit_list.mp4
    03_mp4_fragmented/bear-640x360-av_frag.mp4
    10_audio_codecs/sine-3s-xhe-aac-44khz-mono.mp4
);

for my $path (media_files(qw(01_mp4_progressive 02_mp4_timing
                             03_mp4_fragmented 04_mov
                             08_audio_only 09_video_codecs 10_audio_codecs
                             11_subs_chapters 12_multitrack_abr
                             15_odd_names)))
{
    my $answer = fetch(asset($path, '/whole/') . '/master.m3u8');
    like($answer->{status}, qr/^(?:200|422)$/, "$path: $answer->{status}");
    $count{ $answer->{status} }++;
    push @rows, "$path\texact\t-\t-\t-"
        if $answer->{status} == 200 && !$unknown{$path};
}

cmp_ok($count{200} // 0, '>=', 20, 'many are served');
cmp_ok($count{422} // 0, '>=', 5, 'some are refused');
write_file($index, join "\n", @rows, '');

run_checks('corpus', 'oracle.py', '--base', base_url() . '/whole',
           '--base', base_url() . '/second', '--lenient',
           '--index', $index, '--root', $VodTest::Media);
run_checks('corpus', 'conformance.py', '--base', base_url() . '/whole',
           '--index', $index, '--root', $VodTest::Media);

sub media_files {
    my @found;
    for my $folder (@_) {
        opendir my $dir, "$VodTest::Media/$folder" or next;
        push @found, map { "$folder/$_" }
            grep { /\.(?:mp4|mov|m4a|m4v|3gp|ismv|isma)$/i } readdir $dir;
        closedir $dir;
    }
    return sort @found;
}


=== TEST 2: everything else is an answer too, and the workers go on
--- workers: 2
--- config
location / {
    vod on;
    root $TEST_NGINX_MEDIA;
}
--- check
my @pids = worker_pids();
for my $path (sort map { glob } "$VodTest::Media/*/*") {
    my $name = substr $path, length("$VodTest::Media/");
    for my $url ('master.m3u8', 'manifest.mpd', 'v1/index.m3u8', 'v1/1.m4s',
                 'a1/1.m4s')
    {
        my $answer = fetch(asset($name, '/') . "/$url");
        like($answer->{status}, qr/^(?:200|404|422)$/, "$name: $url")
            or diag($answer->{content});
    }
}
is("@{[worker_pids()]}", "@pids", 'the same workers');
