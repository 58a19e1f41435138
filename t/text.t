# Subtitles: WebVTT over HLS and in fragments over DASH.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

no_shuffle();
run_tests();


sub run_texts {
    my ($file, $n, $prefix) = @_;

    run_checks($file, 'cues.py', '--base', base_url() . $prefix,
               '--asset', "/$file",
               map { "$VodTest::Fixtures/$file:$_" } 0 .. $n - 1);
}

__DATA__

=== TEST 1: the cues of the source
--- workers: 2
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
for my $prefix ('', '/second') {
    run_texts('subs.mp4', 2, $prefix);
    run_texts('subs.mkv', 3, $prefix);
    run_texts('cues-subs.mkv', 3, $prefix);
}


=== TEST 2: an answer like the others
--- http_config
ssi_min_file_chunk 1;
log_format vod '$uri $status $vod_kind $vod_track $vod_cache';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log logs/vod.log vod;
}
location /page/ {
    ssi on;
    ssi_types *;
    default_type text/plain;
    alias $TEST_NGINX_FILES/page/;
}
location = /status { vod_status; }
--- setup
mkdir files_dir() . '/page';
write_file(files_dir() . '/page/two',
    '[<!--#include virtual="/subs.mp4/s1/1.vtt"-->]'
    . '[<!--#include virtual="/subs.mp4/s1/1.m4s"-->]');
--- check
my %whole;
for my $name (qw(s1/1.vtt s1/2.vtt s2/1.vtt s1/1.m4s s1/2.m4s s2/1.m4s)) {
    my $url = "/subs.mp4/$name";
    my $answer = fetch($url);
    is($answer->{status}, 200, $url);
    is($answer->{headers}{'content-type'},
       $name =~ /vtt/ ? 'text/vtt' : 'application/mp4', "$url: type");
    is($answer->{headers}{'content-length'}, length $answer->{content},
       "$url: length");
    my $tag = $answer->{headers}{etag};
    my $head = fetch($url, method => 'HEAD');
    is($head->{headers}{etag}, $tag, "$url: HEAD");
    is($head->{headers}{'content-length'}, length $answer->{content},
       "$url: HEAD: length");
    is(fetch($url, 'If-None-Match' => $tag)->{status}, 304,
       "$url: not modified");
    is(fetch($url, 'If-Match' => '"other"')->{status}, 412, "$url: another");
    my $part = fetch($url, Range => 'bytes=7-20');
    is($part->{status}, 206, "$url: a range");
    is($part->{content}, substr($answer->{content}, 7, 14),
       "$url: its bytes");
    is(fetch($url, Range => 'bytes=99999-')->{status}, 416,
       "$url: beyond the end");
    ok(fetch($url)->{content} eq $answer->{content}, "$url: again");
    my ($made) = vodtool($name =~ /vtt/ ? 'vtt' : 'segment',
                         "$VodTest::Fixtures/subs.mp4",
                         $name =~ m{(s\d)/(\d)});
    ok($made eq $answer->{content}, "$url: what vodtool writes");
    $whole{$name} = $answer;
}
my %tags = map { $_->{headers}{etag} => 1 } values %whole;
is(scalar(keys %tags), 6, 'a tag each');
is(fetch('/page/two')->{content},
   "[$whole{'s1/1.vtt'}{content}][$whole{'s1/1.m4s'}{content}]",
   'in a page of parts');
is(fetch('/subs.mp4/s1/init.mp4')->{headers}{'content-type'},
   'application/mp4', 'the type of a header');

my ($url) = fetch('/subs.mp4/s1/index.m3u8')->{content} =~ /^(1-.*\.vtt)$/m;
is(fetch("/subs.mp4/s1/$url")->{status}, 200, 'with its token');
(my $other = $url) =~ s/-.{12}/-0123456789ab/;
is(fetch("/subs.mp4/s1/$other")->{status}, 404, 'with another');
for my $name (qw(s1/0.vtt s1/99.vtt s3/1.vtt v1/1.vtt a1/1.vtt s1/99.m4s
                 s1/iframes.m3u8 s3/index.m3u8 s3/init.mp4 s1/1.srt))
{
    is(fetch("/subs.mp4/$name")->{status}, 404, $name);
}
is(fetch('/moov-first.mp4/s1/1.vtt')->{status}, 404, 'of a file without');

my $log = slurp("$VodTest::Scratch/root/logs/vod.log");
like($log, qr{^/subs.mp4/s1/1.vtt 200 text s1 \w+$}m, 'kind and track');
cmp_ok(status_page()->{requests}{text}, '>=', 20, 'they are counted');


=== TEST 3: made once for all workers
--- workers: 2
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
fetch("/cues-subs.mkv/s1/$_.vtt"), fetch("/cues-subs.mkv/s1/$_.m4s") for 1 .. 3;
my $read = status_page()->{source_read_bytes};
cmp_ok($read, '>', 0, 'the file was read');
fetch("/cues-subs.mkv/s1/$_.vtt"), fetch("/cues-subs.mkv/s1/$_.m4s")
    for (1 .. 3) x 5;
is(status_page()->{source_read_bytes}, $read, 'and is not read again');
my ($first, @others) = map { $_->{content} }
    request_all(('/cues-subs.mkv/s2/4.vtt') x 20);
is(scalar(grep { $_ ne $first } @others), 0, 'many at a time have one');


=== TEST 4: of a clip, and with arguments
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    vod_forward_args token;
    root $TEST_NGINX_FIXTURES;
}
--- check
my $list = fetch('/subs.mp4/s1/index.m3u8?from=5&to=20&token=x')->{content};
my @urls = $list =~ /^(\d+-.*)$/mg;
cmp_ok(scalar @urls, '>', 1, 'segments');
is(scalar(grep { !/-[0-9a-f]{12}\.vtt\?from=5&to=20&token=x\z/ } @urls), 0,
   'their URLs');
my @texts = map { fetch("/subs.mp4/s1/$_")->{content} } @urls;
is(scalar(grep { !/^WEBVTT\nX-TIMESTAMP-MAP=/ } @texts), 0, 'all are WebVTT');
like($texts[0], qr/00:00:03\.000 --> 00:00:05\.250\n/, 'what is shown at 5 s');
unlike("@texts", qr/The first/, 'what is over is not there');
unlike("@texts", qr/Bold/, 'nor is what comes later');
my ($bare) = fetch('/subs.mp4/s1/1.vtt')->{headers}{etag};
isnt(fetch('/subs.mp4/s1/1.vtt?from=5&to=20')->{headers}{etag}, $bare,
     'a tag of its own');


=== TEST 5: a file that changes
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- setup
copy_file("$VodTest::Fixtures/subs.mp4", files_dir() . '/s.mp4');
--- check
my $one = fetch('/s.mp4/s1/1.vtt');
is($one->{status}, 200, 'one');
copy_file("$VodTest::Fixtures/subs.mkv", files_dir() . '/new');
rename files_dir() . '/new', files_dir() . '/s.mp4';
my $other = fetch('/s.mp4/s1/1.vtt');
is($other->{status}, 200, 'another');
isnt($other->{content}, $one->{content}, 'its text');
isnt($other->{headers}{etag}, $one->{headers}{etag}, 'its tag');
