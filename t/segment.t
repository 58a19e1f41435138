# CMAF segments.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: a segment
--- request
GET /clip.mp4/v1/1.m4s
--- response_headers
Content-Type: video/mp4
Accept-Ranges: bytes
--- check
my $token = token_of('/clip.mp4/v1/index.m3u8');
my $answer = fetch('/clip.mp4/v1/1.m4s');
my $named = fetch("/clip.mp4/v1/1-$token.m4s");
my $body = $answer->{content};
ok($body eq $named->{content}, 'with and without the token');
is($answer->{headers}{'content-length'}, length $body, 'Content-Length');

my @boxes;
my $at = 0;
while ($at < length $body) {
    my ($size, $type) = unpack 'Na4', substr $body, $at, 8;
    push @boxes, $type;
    last if $size < 8;
    $at += $size;
}
is("@boxes", 'styp moof mdat', 'its boxes');
is($at, length $body, 'which are all of it');


=== TEST 2: audio has its own type
--- request
GET /clip.mp4/a1/1.m4s
--- response_headers
Content-Type: audio/mp4


=== TEST 3: as many as the playlist says
--- check
for my $track (qw(v1 a1)) {
    my (undef, @segments) = media_urls("/clip.mp4/$track/index.m3u8");
    my $n = @segments;
    is(fetch("/clip.mp4/$track/$n.m4s")->{status}, 200, "$track: the last");
    is(fetch('/clip.mp4/' . "$track/" . ($n + 1) . '.m4s')->{status}, 404,
       "$track: none behind it");
    is(fetch("/clip.mp4/$track/0.m4s")->{status}, 404, "$track: none before");
}


=== TEST 4: payload in any arrangement of the file is the same
--- check
my %hash;
for my $file (qw(interleave-sample.mp4 interleave-chunk.mp4
                 interleave-track.mp4 moov-first.mp4 moov-last.mp4 co64.mp4
                 co64-last.mp4 mdats.mp4 no-ftyp-brand.mp4))
{
    for my $track (qw(v1 a1)) {
        my (undef, @segments) = media_urls("/fixtures/$file/$track/index.m3u8");
        my $bytes = join '', map { fetch($_)->{content} } @segments;
        push @{ $hash{"$track " . sha($bytes)} }, $file;
    }
}
my @groups = map { "$_: @{ $hash{$_} }" } sort keys %hash;
my %size;
$size{$_}++ for map { /^(v1|a1)/ } keys %hash;
cmp_ok($size{v1}, '<=', 9, 'video');
my ($same) = grep { /interleave-sample/ && /^v1/ } @groups;
like($same, qr/interleave-chunk.*interleave-track/,
     'interleaving does not show') or diag(join "\n", @groups);
my ($moved) = grep { /moov-first/ && /^v1/ } @groups;
like($moved, qr/moov-last/, 'the place of moov does not show')
    or diag(join "\n", @groups);
my ($wide) = grep { /co64\.mp4/ && /^v1/ } @groups;
like($wide, qr/co64-last/, 'the size of offsets does not show')
    or diag(join "\n", @groups);


=== TEST 5: segments in any order, from many connections at once
--- workers: 4
--- check
my ($map, @segments) = media_urls('/fixtures/interleave-sample.mp4/v1/index.m3u8');
my ($amap, @audio) = media_urls('/fixtures/interleave-sample.mp4/a1/index.m3u8');
my @urls = ($map, @segments, $amap, @audio);
my %expected = map { $_ => fetch($_)->{content} } @urls;
my @many = map { @urls[ map { ($_ * 7) % @urls } 0 .. $#urls ] } 1 .. 5;
my @answers = request_all(@many);
is(grep({ $_->{status} != 200 } @answers), 0, 'all are answered');
is(grep({ $answers[$_]{content} ne $expected{$many[$_]} } 0 .. $#many), 0,
   'each with its own bytes');


=== TEST 6: a client that reads slowly, and one that leaves
--- workers: 1
--- check
my ($map, @segments) = media_urls('/fixtures/interleave-sample.mp4/v1/index.m3u8');
my $whole = fetch($segments[0])->{content};

for my $n (1 .. 20) {
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
    print $socket "GET $segments[0] HTTP/1.0\r\n\r\n";
    sysread $socket, my $some, 100 + 1000 * $n;
    close $socket;
}

my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
    PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
print $socket "GET $segments[0] HTTP/1.0\r\n\r\n";
my $all = '';
while (sysread $socket, my $some, 1000) {
    $all .= $some;
}
my (undef, $body) = split /\r\n\r\n/, $all, 2;
ok($body eq $whole, 'read in small pieces');
is(fetch('/t')->{status}, 200, 'the worker goes on');


=== TEST 7: limit_rate is kept
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    limit_rate 200k;
    limit_rate_after 1k;
}
location /fast/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
ok(fetch('/interleave-sample.mp4/a1/1.m4s')->{content}
   eq fetch('/fast/interleave-sample.mp4/a1/1.m4s')->{content},
   'slow and whole');
