# Assets of several files: a folder is one, by itself.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use File::Path ();
use Test::Nginx::Socket 'no_plan';

run_tests();


# A folder of the suite's own with copies of fixtures: name => fixture.

sub folder {
    my ($name, %files) = @_;

    File::Path::remove_tree(files_dir() . "/$name");
    mkdir files_dir() . "/$name";
    add($name, $_, $files{$_}) for sort keys %files;

    return files_dir() . "/$name";
}


sub add {
    my ($folder, $name, $from) = @_;

    copy_file($from eq 'clip.mp4' ? "$VodTest::Root/fixtures/$from"
                                  : "$VodTest::Fixtures/$from",
              files_dir() . "/$folder/$name");
}


sub status_of { return fetch(@_)->{status} }

sub builds { return status_page()->{index}{builds} }

sub count_log {
    my ($pattern, $wanted) = @_;

    return scalar log_lines($pattern, $wanted);
}


# The worker's largest resident memory so far, bytes.

sub peak_memory {
    my ($pid) = worker_pids();

    return slurp("/proc/$pid/status") =~ /^VmHWM:\s*(\d+) kB/m ? $1 * 1024
                                                                : undef;
}

__DATA__

=== TEST 1: the tracks of all files, in the order of their names
--- check
my $folder = folder('film', 'film.mp4' => 'clip.mp4',
                    'film.de.m4a' => 'audio-only.m4a',
                    'notes.txt' => 'clip.mp4', '.hidden.mp4' => 'clip.mp4');
my $master = fetch('/film/master.m3u8');
is($master->{status}, 200, 'the playlist');
like($master->{content}, qr/^v1\/index\.m3u8$/m, 'the film');
like($master->{content}, qr/TYPE=AUDIO.*LANGUAGE="de".*URI="a2\/index\.m3u8"/,
     'the sound beside it, with the language of its name');
is(() = $master->{content} =~ /^#EXT-X-STREAM-INF/mg, 1, 'one rendition');
is(status_of("/film/$_"), 200, $_)
    for qw(manifest.mpd v1/index.m3u8 v1/iframes.m3u8 v1/init.mp4 v1/1.m4s
           a1/index.m3u8 a1/1.m4s a2/index.m3u8 a2/init.mp4 a2/1.m4s);
is(status_of("/film/$_"), 404, $_)
    for qw(v2/index.m3u8 a3/1.m4s s1/index.m3u8 v1/99.m4s
           a2/1-0123456789ab.m4s a2/init-0123456789ab.mp4);
is(sha(fetch('/film/v1/1.m4s')->{content}),
   sha(fetch('/film/film.mp4/v1/1.m4s')->{content}),
   'a segment of the folder is that of the file');
for my $playlist (qw(v1 a1 a2)) {
    my ($map, @segments) = media_urls("/film/$playlist/index.m3u8");
    is(status_of($_), 200, $_) for $map, @segments;
}
is(builds(), 2, 'each file was indexed once');
my $head = fetch('/film/master.m3u8', method => 'HEAD');
is($head->{headers}{'content-length'}, length $master->{content}, 'HEAD');
is($head->{headers}{etag}, $master->{headers}{etag}, 'its ETag');
is(status_of('/film/master.m3u8',
             'If-None-Match' => $master->{headers}{etag}), 304, 'and 304');


=== TEST 2: files that come, change and go
--- check
my $folder = folder('film', 'a.mp4' => 'clip.mp4');
my $first = fetch('/film/master.m3u8');
is($first->{status}, 200, 'one file');
is(status_of('/film/a2/index.m3u8'), 404, 'no second sound');
add('film', 'b.fr.m4a', 'audio-only.m4a');
is(status_of('/film/a2/index.m3u8'), 200, 'one comes');
my $second = fetch('/film/master.m3u8');
isnt($second->{headers}{etag}, $first->{headers}{etag}, 'the playlist changes');
like($second->{content}, qr/LANGUAGE="fr"/, 'and has it');
my ($map, @old) = media_urls('/film/a2/index.m3u8');
write_file("$folder/b.fr.m4a", slurp("$VodTest::Fixtures/audio-two.m4a"));
my $third = fetch('/film/master.m3u8');
is(() = $third->{content} =~ /LANGUAGE="fr"/g, 2,
   'it is written over: the playlist says what is there now');
is(status_of($_), 404, "$_: the old token") for $old[0];
is(status_of('/film/a3/1.m4s'), 200, 'what is there now');
write_file("$folder/b.fr.m4a", slurp("$VodTest::Fixtures/audio-only.m4a"));
is(status_of('/film/a2/1.m4s'), 200, 'again, seen by a segment');
is(status_of('/film/a3/1.m4s'), 404, 'with the tracks it has now');
unlink "$folder/b.fr.m4a";
is(status_of('/film/a2/index.m3u8'), 404, 'it goes');
is(fetch('/film/master.m3u8')->{headers}{etag}, $first->{headers}{etag},
   'and all is as it was');
is(builds(), 4, 'only what was new was indexed');


=== TEST 3: what cannot be served costs one file, and one line
--- check
my $folder = folder('film', 'a.mp4' => 'clip.mp4');
write_file("$folder/bad.mp4", 'nonsense' x 100);
symlink "$folder/none", "$folder/link.mp4";
mkdir "$folder/folder.mp4";
write_file("$folder/a\nb.mp4", 'x');
for (1 .. 5) {
    is(status_of('/film/master.m3u8'), 200, 'it plays');
    is(status_of('/film/v1/1.m4s'), 200, 'its segments');
    is(status_of('/film/v2/1.m4s'), 404, 'nothing in its place');
}
is(count_log(qr/\[error\].*"bad\.mp4" left out: /, 1), 1, 'one line for it');
is(count_log(qr/\[warn\].*control characters in their names: 1/, 1), 1,
   'one for the name');
is(count_log(qr/\[error\]/, 1), 1, 'and no other');


=== TEST 4: nothing to be served
--- config
location / {
    vod on;
    vod_max_members 3;
    root $TEST_NGINX_FILES;
    location /one/ { vod_max_members 1; }
}
location = /status { vod_status; }
--- check
folder('empty');
is(status_of('/empty/master.m3u8'), 404, 'an empty folder');
is(count_log(qr/\[error\].*"[^"]*\/empty" is a directory/, 1), 1, 'one line');
is(status_of('/none/master.m3u8'), 404, 'no folder');
my $bad = folder('bad');
write_file("$bad/a.mp4", 'nonsense' x 100);
write_file("$bad/b.mp4", 'nonsense' x 100);
is(status_of('/bad/master.m3u8'), 422, 'nothing but damage') for 1 .. 2;
is(status_of('/bad/v1/1.m4s'), 422, 'no track of it');
is(count_log(qr/\[error\].*"[ab]\.mp4" left out: /, 2), 2, 'a line for each');
is(builds(), 2, 'each is tried once');
folder('many', map { ("$_.mp4" => 'clip.mp4') } 1 .. 4);
is(status_of('/many/master.m3u8'), 422, 'more than vod_max_members');
is(count_log(qr/4 media files of this asset, more than the 3 allowed \(vod_max_members\)/, 1), 1,
   'the line says how many');
folder('one');
folder('one/film', 'a.mp4' => 'clip.mp4');
is(status_of('/one/film/master.m3u8'), 404, 'vod_max_members 1: no folders');
is(status_of('/one/film/a.mp4/master.m3u8'), 200, 'files as ever');
is(status_page()->{errors}{not_found}, 3, 'counted');
is(builds(), 3, 'nothing else was read');


=== TEST 5: a thousand files, none indexed twice
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- workers: 2
--- check
my $folder = folder('many');
my $sound = slurp("$VodTest::Fixtures/aac-mono-22050.m4a");
write_file(sprintf('%s/a%04d.m4a', $folder, $_), $sound) for 1 .. 1000;
my @answers = request_all(('/many/master.m3u8') x 8);
is(grep({ $_->{status} == 200 } @answers), 8, 'all who ask at once');
my %bodies = map { $_->{content} => 1 } @answers;
is(keys %bodies, 1, 'the same for all');
is(builds(), 1000, 'each file was indexed once');
is(status_of("/many/a$_/1.m4s"), 200, "a$_") for 1, 2, 500, 999, 1000;
is(status_of('/many/a1001/1.m4s'), 404, 'and no more');
is(status_of('/many/manifest.mpd'), 200, 'the manifest');
is(builds(), 1000, 'still');
cmp_ok(peak_memory(), '<', 150_000_000, 'memory') if !$VodTest::Asan;


=== TEST 6: first requests of all kinds at once
--- workers: 4
--- check
folder('film', 'a.mp4' => 'clip.mp4', 'b.mp4' => 'long.mp4',
       'c.de.m4a' => 'audio-only.m4a');
write_file(files_dir() . '/film/bad.mp4', 'nonsense' x 100);
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 v2/1.m4s a3/1.m4s
               v2/init.mp4);
my @answers = request_all(map { '/film/' . $names[$_ % @names] } 0 .. 59);
is(grep({ $_->{status} == 200 } @answers), 60, 'all are served');
is(builds(), 4, 'each file was indexed once');
is(count_log(qr/"bad\.mp4" left out: /, 1), 1, 'one line for all workers');
my $status = status_page();
is($status->{waiting}, 0, 'nobody waits');


=== TEST 7: subrequests, and a reload
--- config
location /film/ {
    vod on;
    root $TEST_NGINX_FILES;
}
location /sub/ {
    slice 1m;
    add_before_body /film/master.m3u8;
    add_after_body  /film/v1/index.m3u8;
    addition_types  *;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
File::Path::remove_tree(files_dir() . '/film');
mkdir files_dir() . "/$_" for 'film', 'sub';
copy_file(files_dir() . '/clip.mp4', files_dir() . '/film/a.mp4');
copy_file("$VodTest::Fixtures/audio-only.m4a", files_dir() . '/film/b.m4a');
write_file(files_dir() . '/sub/x', "between\n");
--- check
my ($master, $media) = map { fetch($_)->{content} } '/film/master.m3u8',
    '/film/v1/index.m3u8';
is(fetch('/sub/x')->{content}, "${master}between\n$media", 'both are in it');
my @before = worker_pids();
kill 'HUP', nginx_pid();
wait_for(sub { my %old = map { $_ => 1 } @before;
               my @now = worker_pids();
               @now && !grep { $old{$_} } @now }, 20);
is(fetch('/film/master.m3u8')->{content}, $master, 'after a reload');
is(builds(), 2, 'nothing was indexed again');


=== TEST 8: the symlink policy is nginx's
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
    disable_symlinks on;
}
location /on/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
--- check
my $folder = folder('film', 'a.mp4' => 'clip.mp4');
folder('other', 'b.m4a' => 'audio-only.m4a');
symlink '../other/b.m4a', "$folder/b.m4a";
is(status_of('/film/master.m3u8'), 200, 'without the link');
is(status_of('/film/a2/1.m4s'), 404, 'which is not followed');
is(count_log(qr/\[error\].*"b\.m4a" left out: .*Too many levels of symbolic/, 1), 1,
   'the line says why');
is(status_of('/on/film/a2/1.m4s'), 200, 'another location follows it');


=== TEST 9: the zone has no room
--- http_config
vod_zone 128k;
--- check
folder('film', 'a.mp4' => 'long.mp4', 'b.mp4' => 'clip.mp4',
       'c.de.m4a' => 'audio-only.m4a', 'd.mp4' => 'frames.mp4');
for (1 .. 3) {
    is(status_of("/film/$_"), 200, $_)
        for qw(master.m3u8 v1/1.m4s v2/index.m3u8 v3/1.m4s a3/1.m4s
               manifest.mpd);
}


=== TEST 10: renditions, one of which has other key frames
--- check
my $master = fetch('/fixtures/asset/master.m3u8');
is($master->{status}, 200, 'the playlist');
is(() = $master->{content} =~ /^v[123]\/index\.m3u8$/mg, 6,
   'three renditions, with stereo and surround');
my @cuts = map { join ' ', grep { /^#EXTINF/ }
                 lines_of("/fixtures/asset/v$_/index.m3u8") } 1 .. 3;
is($cuts[2], $cuts[1], 'two are cut at the same times');
isnt($cuts[0], $cuts[1], 'one is not');
for my $track (map({ "v$_" } 1 .. 3), map({ "a$_" } 1 .. 3)) {
    my ($map, @segments) = media_urls("/fixtures/asset/$track/index.m3u8");
    is(status_of($_), 200, $_) for $map, @segments;
}
is(count_log(qr/\[warn\].*the key frames of "asset\.64p\.mp4" are not where/, 1), 1,
   'one line, and for the odd one');
is(count_log(qr/\[warn\].*the key frames of/, 1), 1, 'no other');
is(builds(), 9, 'each file was indexed once');
