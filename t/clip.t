# Clips: ?from= and ?to=.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

no_shuffle();
run_tests();


sub run_clips {
    my ($file, $prefix, @clips) = @_;
    my @pictures = $clips[0] eq 'pictures' ? ('--pictures') : ();
    shift @clips if @pictures;

    run_checks("$file", 'clip.py', '--base', base_url() . $prefix,
               '--asset', "/$file", '--source', "$VodTest::Fixtures/$file",
               @pictures, '--', @clips);
}

__DATA__

=== TEST 1: a clip is a part of the source
--- config
location /second/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FIXTURES/;
}
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
--- check
run_clips('moov-first.mp4', '/second', 'pictures', '2.3-5.1', '0-1', '3-4',
          '-4.04', '9.5-', '3.000001-', '2.999999-3.000001', '0.5-100');
run_clips('moov-first.mp4', '', '2.3-5.1', '7-');
run_clips('long-gop.mp4', '', 'pictures', '11.9-12.1', '12-13', '13-26.9');
run_clips('long.mp4', '', '33.3-61', '60.5-70');
run_clips('audio-long.mp4', '', '1-9', '5-');
run_clips('video-late.mp4', '', '-3', '0.5-3', '3-');
run_clips('video-two.mp4', '/second', '1.5-3');
run_clips('audio-two.m4a', '/second', '1.5-3', '-2');
run_clips('edit-start-inside.mp4', '/second', '-2', '2.5-4');
run_clips('frag-cmaf.mp4', '/second', '1.5-3');
run_clips('frames.mkv', '/second', '1.5-3');


=== TEST 2: what is a clip's own
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
my $file = '/moov-first.mp4';
my %tags;
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 a1/index.m3u8
                 v1/iframes.m3u8 v1/init.mp4 v1/1.m4s a1/1.m4s))
{
    for my $args ('', '?from=2', '?from=2&to=5', '?to=5', '?from=2.000001') {
        my $answer = fetch("$file/$name$args");
        is($answer->{status}, 200, "$name$args");
        my $tag = $answer->{headers}{etag};
        ok(!$tags{$tag}++, "$name$args: a tag of its own");
        is(fetch("$file/$name$args", 'If-None-Match' => $tag)->{status}, 304,
           "$name$args: not modified");
        my $head = fetch("$file/$name$args", method => 'HEAD');
        is($head->{headers}{etag}, $tag, "$name$args: HEAD");
        is($head->{headers}{'content-length'}, length $answer->{content},
           "$name$args: HEAD: length");
    }
}

# the same clip, however it is written

for my $args ('?from=2.0&to=05', '?to=5&from=2', '?x=1&from=%32&to=5.000') {
    my $one = fetch("$file/v1/index.m3u8?from=2&to=5");
    my $other = fetch("$file/v1/index.m3u8$args");
    is($other->{headers}{etag}, $one->{headers}{etag}, "$args: the same tag");
    ok($other->{content} eq $one->{content}, "$args: the same");
}
is(fetch("$file/v1/index.m3u8?from=0")->{headers}{etag},
   fetch("$file/v1/index.m3u8")->{headers}{etag}, 'from 0 is no clip');

# tokens do not go from one to the other

my ($clip) = fetch("$file/v1/index.m3u8?from=2&to=5")->{content}
    =~ /^1-([0-9a-f]{12})\.m4s\?from=2&to=5$/m;
my $whole = token_of("$file/v1/index.m3u8");
like($clip, qr/^[0-9a-f]{12}$/, 'a token');
isnt($clip, $whole, 'of its own');
is(fetch("$file/v1/1-$clip.m4s?from=2&to=5")->{status}, 200, 'with its edges');
is(fetch("$file/v1/1-$clip.m4s")->{status}, 404, 'not without');
is(fetch("$file/v1/1-$clip.m4s?from=2")->{status}, 404, 'nor with others');
is(fetch("$file/v1/1-$whole.m4s?from=2&to=5")->{status}, 404,
   'and no other with them');
is(fetch("$file/v1/3-$clip.m4s?from=2&to=5")->{status}, 200, 'the last one');
is(fetch("$file/v1/4-$clip.m4s?from=2&to=5")->{status}, 404, 'none behind it');

my $before = status_page()->{builds};
fetch("$file/master.m3u8?from=$_") for 1 .. 5;
is(status_page()->{builds}, $before, 'a clip does not index the file again');


=== TEST 3: clips with nothing in them
--- http_config
log_format vod '$request_uri $status $vod_error';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log logs/vod.log vod;
}
--- check
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4
                 v1/1.m4s))
{
    for my $args ('from=10', 'from=999999999', 'from=10.5&to=11') {
        for (1, 2) {
            is(fetch("/moov-first.mp4/$name?$args")->{status}, 400,
               "$name?$args");
        }
    }
    is(fetch("/moov-first.mp4/$name?from=9.9")->{status}, 200,
       "$name: the last pictures");
    is(fetch("/moov-first.mp4/$name?to=999999999")->{status}, 200,
       "$name: to the end, and on");
}
is(fetch('/moov-first.mp4/master.m3u8')->{status}, 200, 'the file is sound');
is(scalar(log_lines(qr/\[(?:warn|error|crit|alert)\]/)), 0,
   'no line of a level that wakes somebody');
like(slurp("$VodTest::Scratch/root/logs/vod.log"),
     qr/^\S+from=10 400 arguments$/m, '$vod_error');


=== TEST 4: a choice of tracks
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
--- check
sub tracks {
    my ($args, $name) = @_;
    my $answer = fetch("/video-two.mp4/$name?$args");
    return "$answer->{status}" if $answer->{status} != 200;
    my %tracks = map { $_ => 1 }
        $answer->{content} =~ m{\b([vas]\d+)/(?:index|init)}g,
        $answer->{content} =~ m{Representation id="([vas]\d+)"}g;
    return join ' ', sort keys %tracks;
}
my $all = tracks('', 'master.m3u8');
is($all, 'a1 v1 v2', 'all of them');
for my $name (qw(master.m3u8 manifest.mpd)) {
    is(tracks('tracks=v2,a1', $name), 'a1 v2', "$name: two, by their numbers");
    is(tracks('tracks=v2', $name), 'v2', "$name: one");
    is(tracks('tracks=a-v2', $name), 'a1 v2', "$name: a kind");
    is(tracks('tracks=v%2Ca', $name), $all, "$name: kinds");
    is(tracks('tracks=v1,a9', $name), 'v1', "$name: one that is not there");
    is(tracks('tracks=v3', $name), '400', "$name: none");
    is(tracks('tracks=s', $name), '400', "$name: a kind that is not there");
    is(tracks('tracks=a1&from=1', $name), 'a1', "$name: of a clip");
    my $tag = fetch("/video-two.mp4/$name?tracks=v,a1")->{headers}{etag};
    isnt($tag, fetch("/video-two.mp4/$name")->{headers}{etag}, "$name: tag");
    is(fetch("/video-two.mp4/$name?tracks=v,a1", 'If-None-Match' => $tag)
           ->{status}, 304, "$name: not modified");
    isnt(fetch("/video-two.mp4/$name?tracks=v1,a1")->{headers}{etag}, $tag,
         "$name: another choice, another tag");
}
my ($url) = fetch('/video-two.mp4/master.m3u8?tracks=v2&from=1')->{content}
    =~ m{^(v2/.*)$}m;
is($url, 'v2/index.m3u8?from=1', 'the choice is not carried on');
is(fetch('/video-two.mp4/v1/index.m3u8?tracks=a1')->{status}, 200,
   'nor does it bear on others');


=== TEST 5: of an asset of several files
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
location /sets/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
location = /status { vod_status; }
--- setup
system('cp', '-rp', "$VodTest::Fixtures/asset", files_dir() . '/asset') == 0
    or die 'cp';
my @files = qw(asset.64p.mp4 asset.96p.mp4 asset.de.m4a asset.en.vtt);
my $clips = sub {
    my ($edges) = @_;
    return '{"sequences":[' . join(',', map {
        qq({"clips":[{"type":"source","path":"/asset/$_"$edges}]}) } @files)
        . ']}';
};
write_file(files_dir() . '/whole.json', $clips->(''));
write_file(files_dir() . '/clip.json',
           $clips->(',"clipFrom":3000,"clipTo":8000'));
write_file(files_dir() . '/twice.json',
           $clips->(',"clipFrom":8000,"clipTo":3000'));
--- check
# all that a playlist names, and what it names in turn, by its name without
# tokens and arguments

sub bodies {
    my ($asset, $args) = @_;
    my %bodies;
    my @left = ('master.m3u8' . ($args ? "?$args" : ''));
    while (defined(my $name = shift @left)) {
        my $answer = fetch("$asset/$name");
        (my $bare = $name) =~ s/-[0-9a-f]{12}|\?.*//g;
        next if exists $bodies{$bare};
        is($answer->{status}, 200, "$asset/$name");
        $bodies{$bare} = $answer->{content};
        next if $bare !~ /m3u8$/;
        my ($folder) = $name =~ m{^((?:\w\d+/)?)};
        push @left, map { "$folder$_" }
            $answer->{content} =~ /^([^#\s].*)$/mg,
            $answer->{content} =~ /\bURI="([^"]*)"/g;
        is(scalar(grep { !/\Q$args\E\z/ } @left), 0, "$bare: its URLs")
            if $args;
    }
    return \%bodies;
}
my $folder = bodies('/asset', 'from=3&to=8');
cmp_ok(scalar(grep { /^v[123]\/1\.m4s$/ } keys %$folder), '==', 3,
       'three renditions');
cmp_ok(scalar(grep { /^s[123]\/1\.vtt$/ } keys %$folder), '==', 3,
       'three texts');

# a descriptor's own edges are those of arguments

my $argued = bodies('/sets/whole.json', 'from=3&to=8');
my $set = bodies('/sets/clip.json', '');
is_deeply([sort keys %$set], [sort keys %$argued], 'as many answers');
for my $name (grep { /\.(?:m4s|mp4|vtt)$/ } sort keys %$set) {
    ok($set->{$name} eq $argued->{$name}, "$name is the same");
}
for my $name ('v1/init.mp4', 'v1/1.m4s') {
    my $alone = fetch("/asset/asset.64p.mp4/$name?from=3&to=8");
    ok($argued->{$name} eq $alone->{content}, "$name: that of its file");
}
like($set->{'v1/index.m3u8'}, qr/^#EXT-X-START:TIME-OFFSET=0\.6/m,
     'it begins at 3 s, 0.6 s behind a key frame');

# edges of both: what is in both

my $both = bodies('/sets/clip.json', 'from=5');
my ($start) = $both->{'v1/index.m3u8'} =~ /^#EXT-X-START:TIME-OFFSET=([\d.]+)/m;
cmp_ok($start, '>', 0, 'a clip of a clip');
is(fetch('/sets/clip.json/master.m3u8?from=8')->{status}, 400,
   'nothing is in both');
is(fetch('/sets/twice.json/master.m3u8')->{status}, 422, 'edges the wrong way');
is(scalar(log_lines(
       qr/sequences\[0\]\.clips\[0\]\.clipTo is 3000, not behind clipFrom, 8000/,
       1)), 1, 'it says so');

# two ways to ask for one clip: each has its own URLs

my ($more, $plain) = map { fetch("/sets/clip.json/$_")->{content} }
    'a1/index.m3u8?from=1', 'a1/index.m3u8';
like($more, qr/^1-.{12}\.m4s\?from=1$/m, 'with what it was asked for');
like($plain, qr/^1-.{12}\.m4s$/m, 'and without');
my $tags = {};
$tags->{fetch($_)->{headers}{etag}}++ for map { "/sets/$_" }
    'whole.json/master.m3u8', 'whole.json/master.m3u8?from=3&to=8',
    'whole.json/master.m3u8?from=3', 'clip.json/master.m3u8',
    'clip.json/master.m3u8?from=5', 'clip.json/master.m3u8?tracks=v1';
is(scalar(keys %$tags), 6, 'a tag each');
