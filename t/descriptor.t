# Assets of several files that a JSON file names.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use File::Path ();
use Test::Nginx::Socket 'no_plan';

run_tests();


# Media that descriptors name, below a folder of the suite's own.

sub media {
    my $folder = files_dir() . '/media';

    File::Path::remove_tree($folder);
    mkdir $folder;
    copy_file("$VodTest::Root/fixtures/clip.mp4", "$folder/film.mp4");
    copy_file("$VodTest::Fixtures/audio-only.m4a", "$folder/de.m4a");

    return $folder;
}


sub describe {
    my ($name, @sequences) = @_;

    write_file(files_dir() . "/$name", JSON::PP::encode_json({
        sequences => [ map {
            my ($path, %more) = @$_;
            my %clip = map { exists $more{$_} ? ($_ => delete $more{$_}) : () }
                qw(tracks clipFrom clipTo);
            +{ %more, clips => [ { type => 'source', path => $path, %clip } ] }
        } @sequences ] }));
}


sub status_of { return fetch(@_)->{status} }

__DATA__

=== TEST 1: files, tracks, languages, labels
--- check
media();
describe('a.json', [ '/media/film.mp4', tracks => 'v1' ],
         [ 'media/de.m4a', language => 'ger', label => 'Deutsch' ],
         [ '/media/film.mp4', tracks => 'a1', language => 'eng',
           default => JSON::PP::true() ]);
my $master = fetch('/a.json/master.m3u8')->{content};
like($master, qr/LANGUAGE="de",NAME="Deutsch".*URI="a2\/index\.m3u8"/, 'German');
like($master, qr/LANGUAGE="en".*DEFAULT=YES.*URI="a3\/index\.m3u8"/,
     'English, the default');
is(() = $master =~ /TYPE=AUDIO/g, 2, 'and no other');
is(status_of("/a.json/$_"), 200, $_)
    for qw(manifest.mpd v1/index.m3u8 v1/1.m4s a2/1.m4s a3/init.mp4 a3/1.m4s);
is(status_of("/a.json/$_"), 404, "$_ is not chosen")
    for qw(a1/index.m3u8 a1/1.m4s v2/1.m4s a4/1.m4s);
is(status_page()->{index}{builds}, 2, 'two files, each indexed once');
is(fetch('/a.json/v1/1.m4s')->{content},
   fetch('/media/film.mp4/v1/1.m4s')->{content}, 'a segment is the file\'s');


=== TEST 2: what is wrong with one
--- check
media();
my %wrong = ('none' => '', 'json' => '{', 'array' => '[]',
    'path' => '{"sequences":[{"clips":[{"type":"source","path":7}]}]}',
    'up' => '{"sequences":[{"clips":[{"type":"source","path":"/../x.mp4"}]}]}',
    'two' => '{"sequences":[{"clips":[{"type":"source","path":"/media/film.mp4"},'
             . '{"type":"source","path":"/media/film.mp4"}]}]}');
for my $name (sort keys %wrong) {
    write_file(files_dir() . "/$name.json", $wrong{$name});
    is(status_of("/$name.json/master.m3u8"), 422, $name);
    is(scalar log_lines(qr/\[error\].*\/$name\.json" vod: /, 1), 1, 'one line');
}
is(scalar log_lines(qr/path\.json" vod: .*sequences\[0\]\.clips\[0\]\.path/, 1), 1,
   'which names the field');
write_file(files_dir() . '/more.json',
    '{"sequences":[{"clips":[{"type":"source","path":"/media/film.mp4","x":1}]}],"y":2}');
is(status_of('/more.json/master.m3u8'), 200, 'fields without a meaning') for 1, 2;
is(scalar log_lines(qr/\[info\].*more\.json" vod: fields without a meaning here: .*y/, 1), 1,
   'are named once');


=== TEST 3: files that are missing, and come
--- check
my $folder = media();
describe('b.json', [ '/media/film.mp4' ], [ '/media/fr.m4a', language => 'fr' ],
         [ '/media' ]);
is(status_of('/b.json/master.m3u8'), 200, 'without it') for 1 .. 3;
is(status_of('/b.json/a2/1.m4s'), 404, 'no track of it');
is(scalar log_lines(qr/\[error\].*"media\/fr\.m4a" left out: open\(\) failed/, 1), 1,
   'one line');
is(scalar log_lines(qr/\[error\].*"media" left out: it is not a regular file/, 1), 1,
   'one for a folder');
copy_file("$VodTest::Fixtures/audio-only.m4a", "$folder/fr.m4a");
like(fetch('/b.json/master.m3u8')->{content}, qr/LANGUAGE="fr"/, 'it comes');
is(status_of('/b.json/a2/1.m4s'), 200, 'with its track');
describe('b.json', [ '/media/film.mp4', tracks => 'v1' ]);
unlike(fetch('/b.json/master.m3u8')->{content}, qr/LANGUAGE="fr"/,
       'a new descriptor');


=== TEST 4: below which folder
--- config
location /vod/ {
    vod on;
    alias $TEST_NGINX_FILES/media/;
}
location ~ ^/re/(.*)$ {
    vod on;
    alias $TEST_NGINX_FILES/$1;
}
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- check
my $folder = media();
mkdir "$folder/sets";
mkdir "$folder/sets/own";
copy_file("$folder/de.m4a", "$folder/sets/own/x.m4a");
describe('media/sets/c.json', [ '/film.mp4' ], [ 'own/x.m4a' ]);
is(status_of("/vod/sets/c.json/$_"), 200, "alias: $_")
    for qw(master.m3u8 v1/1.m4s a2/1.m4s);
is(status_of('/media/sets/c.json/v1/1.m4s'), 404, 'root: another file');
is(status_of('/media/sets/c.json/a1/1.m4s'), 200, 'root: its own folder');
describe('media/d.json', [ '/film.mp4' ], [ 'sets/own/x.m4a' ]);
is(status_of("/re/media/d.json/$_"), 200, "captures: $_")
    for qw(master.m3u8 v1/1.m4s a2/1.m4s);


=== TEST 5: a clip
--- check
media();
describe('e.json', [ '/media/film.mp4', clipFrom => 1000, clipTo => 2000 ]);
my @all = grep { /^#EXTINF/ } lines_of('/media/film.mp4/v1/index.m3u8');
my @some = grep { /^#EXTINF/ } lines_of('/e.json/v1/index.m3u8');
cmp_ok(@some, '<', @all, 'fewer segments');
is(status_of('/e.json/master.m3u8'), 200, 'the playlist');


=== TEST 6: a thousand files
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- check
my $folder = media();
my $sound = slurp("$VodTest::Fixtures/aac-mono-22050.m4a");
write_file("$folder/$_.m4a", $sound) for 1 .. 1000;
describe('many.json', map { [ "/media/$_.m4a" ] } 1 .. 1000);
my $begin = Time::HiRes::time();
is(status_of('/many.json/master.m3u8'), 200, 'the playlist');
diag(sprintf '1,000 files in %.1f s', Time::HiRes::time() - $begin);
is(status_of("/many.json/a$_/1.m4s"), 200, "a$_") for 1, 777, 1000;
is(status_of('/many.json/manifest.mpd'), 200, 'the MPD');
is(status_page()->{index}{builds}, 1000, 'each file was indexed once');
describe('many.json', map { [ "/media/$_.m4a" ] } 1 .. 1000, 1 .. 25);
is(status_of('/many.json/master.m3u8'), 422, 'more than vod_max_members');
