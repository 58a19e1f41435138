# A media file with the sound and the text that stand beside it.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use File::Path ();
use Test::Nginx::Socket 'no_plan';

our $Text = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n";

run_tests();


# A folder of the suite's own with copies of fixtures: name => fixture, or text.

sub folder {
    my ($name, %files) = @_;
    my $folder = files_dir() . "/$name";

    File::Path::remove_tree($folder);
    mkdir $folder;

    for my $file (sort keys %files) {
        my $from = $files{$file};

        if ($from =~ /\n/) {
            write_file("$folder/$file", $from);
            next;
        }

        copy_file($from eq 'clip.mp4' ? "$VodTest::Root/fixtures/$from"
                                      : "$VodTest::Fixtures/$from",
                  "$folder/$file");
    }

    return $folder;
}


sub status_of { return fetch(@_)->{status} }

__DATA__

=== TEST 1: what belongs to a film
--- check
our $Text;
folder('films', 'film.mp4' => 'clip.mp4', 'film.de.m4a' => 'audio-only.m4a',
       'film.en.vtt' => $Text, 'film.en.sdh.vtt' => $Text,
       'film.fr.forced.vtt' => $Text, 'film.720p.mp4' => 'clip.mp4',
       'film2.de.m4a' => 'audio-only.m4a', 'other.mp4' => 'clip.mp4',
       'film.jpg' => "picture\n", 'film.nfo' => "text\n");
my $master = fetch('/films/film.mp4/master.m3u8')->{content};
is(() = $master =~ /TYPE=AUDIO/g, 2, 'its sound, and that beside it');
like($master, qr/TYPE=AUDIO.*LANGUAGE="de".*URI="a2\/index\.m3u8"/, 'German');
is(() = $master =~ /TYPE=SUBTITLES/g, 3, 'three texts');
like($master, qr/TYPE=SUBTITLES.*LANGUAGE="fr".*FORCED=YES/, 'forced');
like($master, qr/TYPE=SUBTITLES.*LANGUAGE="en".*transcribes-spoken/, 'SDH');
is(() = $master =~ /^#EXT-X-STREAM-INF/mg, 1, 'no other film');
is(status_of("/films/film.mp4/$_"), 200, $_)
    for qw(manifest.mpd v1/1.m4s a1/1.m4s a2/init.mp4 a2/1.m4s
           s1/index.m3u8 s2/1.vtt s3/1.vtt s3/init.mp4 s3/1.m4s);
is(status_of("/films/film.mp4/$_"), 404, $_)
    for qw(v2/1.m4s a3/1.m4s s4/index.m3u8 a2/1-0123456789ab.m4s);
unlike(fetch('/films/other.mp4/master.m3u8')->{content}, qr/SUBTITLES/,
       'another film has none of them');
is(status_page()->{index}{builds}, 6, 'each file was indexed once');


=== TEST 2: a film alone is what it was
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    location /off/ {
        vod on;
        vod_max_members 1;
        alias $TEST_NGINX_FILES/;
    }
}
location = /status { vod_status; }
--- check
our $Text;
my $folder = folder('film', 'film.mp4' => 'clip.mp4');
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4 v1/1.m4s);
my %alone = map { ($_ => fetch("/film/film.mp4/$_")) } @names;
my %off = map { ($_ => fetch("/off/film/film.mp4/$_")) } @names;
is($off{$_}{content}, $alone{$_}{content}, "$_: as without looking")
    for @names;
is(status_of('/film/film.mp4/s1/index.m3u8'), 404, 'no text');
write_file("$folder/film.en.vtt", $Text);
is(status_of('/film/film.mp4/s1/index.m3u8'), 200, 'one comes');
like(fetch('/film/film.mp4/master.m3u8')->{content}, qr/TYPE=SUBTITLES/,
     'and is listed');
is(fetch("/film/film.mp4/$_")->{content}, $alone{$_}{content},
   "$_: the film's own tracks are what they were") for @names[2 .. 4];
is(fetch("/off/film/film.mp4/$_")->{content}, $alone{$_}{content},
   "$_: not where it is switched off") for @names;
is(status_of('/off/film/film.mp4/s1/index.m3u8'), 404, 'nor its text');
is(status_of('/off/film/film.mp4/master.m3u8?tracks=v1'), 200,
   'where tracks can be chosen all the same');
unlink "$folder/film.en.vtt";
is(fetch("/film/film.mp4/$_")->{headers}{etag}, $alone{$_}{headers}{etag},
   "$_: it goes") for @names;


=== TEST 3: what is damaged costs itself, and a damaged film all
--- check
our $Text;
my $folder = folder('film', 'film.mp4' => 'clip.mp4',
                    'film.de.m4a' => "nonsense\n" x 100,
                    'film.en.vtt' => $Text);
is(status_of('/film/film.mp4/master.m3u8'), 200, 'without the sound')
    for 1 .. 3;
is(scalar log_lines(qr/\[error\].*film\/film\.mp4" vod: "film\.de\.m4a" left out: /, 1), 1,
   'one line');
is(status_of('/film/film.mp4/s1/1.vtt'), 200, 'the text plays');
write_file("$folder/film.mp4", "nonsense\n" x 100);
is(status_of("/film/film.mp4/$_"), 422, "a damaged film: $_")
    for qw(master.m3u8 v1/1.m4s s1/1.vtt);


=== TEST 4: a choice of tracks
--- check
our $Text;
folder('film', 'film.mp4' => 'clip.mp4', 'film.de.m4a' => 'audio-only.m4a',
       'film.en.vtt' => $Text);
my $master = fetch('/film/film.mp4/master.m3u8?tracks=v1,a2')->{content};
like($master, qr/URI="a2\/index\.m3u8"/, 'what is chosen keeps its number');
unlike($master, qr/URI="(?:a1|s1)\/index\.m3u8"/, 'what is not is not there');
unlike(fetch('/film/film.mp4/manifest.mpd?tracks=v')->{content},
       qr/"audio"|"text"/, 'a kind alone');
is(status_of('/film/film.mp4/master.m3u8?tracks=a7'), 400, 'nothing is left');
