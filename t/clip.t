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
