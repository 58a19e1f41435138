# Byte ranges.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every kind of body, every kind of range
--- check
my %body = %{ fetch_all('/clip.mp4') };

for my $name (sort keys %body) {
    my $whole = $body{$name};
    my $size = length $whole;
    my $middle = int $size / 2;
    my %ranges = (
        '0-0' => [0, 0], '0-' => [0, $size - 1], '-1' => [$size - 1, $size - 1],
        "0-$size" => [0, $size - 1], '10-19' => [10, 19],
        "$middle-" => [$middle, $size - 1],
        '-' . ($size + 10) => [0, $size - 1],
        "$middle-" . ($middle + 99) => [$middle, $middle + 99],
        ($size - 1) . '-' => [$size - 1, $size - 1],
        '0-99999999999' => [0, $size - 1],
    );
    my @wrong;

    for my $range (sort keys %ranges) {
        my ($from, $to) = @{ $ranges{$range} };
        $to = $size - 1 if $to > $size - 1;
        my $answer = fetch("/clip.mp4/$name", Range => "bytes=$range");
        my $expected = substr $whole, $from, $to - $from + 1;
        push @wrong, $range if $answer->{status} != 206
            || $answer->{content} ne $expected
            || $answer->{headers}{'content-range'} ne "bytes $from-$to/$size"
            || $answer->{headers}{'content-length'} != length $expected;
    }

    is("@wrong", '', $name);
}


=== TEST 2: every offset where header, payload and runs of samples meet
--- check
for my $name ('v1/1.m4s', 'a1/1.m4s') {
    my $url = "/fixtures/interleave-sample.mp4/$name";
    my $whole = fetch($url)->{content};
    my $moof = index($whole, 'mdat') + 4;
    my @wrong;
    for my $from ($moof - 9 .. $moof + 9, 1000, 4095 .. 4097, 32767 .. 32769) {
        for my $length (1, 2, 8, 100, 5000) {
            next if $from + $length > length $whole;
            my $to = $from + $length - 1;
            my $answer = fetch($url, Range => "bytes=$from-$to");
            push @wrong, "$from-$to" if $answer->{status} != 206
                || $answer->{content} ne substr $whole, $from, $length;
        }
    }
    is("@wrong", '', $name);
}


=== TEST 3: pieces put together are the whole
--- check
for my $file (qw(interleave-sample.mp4 interleave-track.mp4)) {
    my $url = "/fixtures/$file/v1/1.m4s";
    my $whole = fetch($url)->{content};
    my $pieces = '';
    my $step = int(length($whole) / 13) + 1;
    while (length $pieces < length $whole) {
        my $from = length $pieces;
        my $piece = fetch($url, Range => "bytes=$from-" . ($from + $step - 1));
        last if $piece->{status} != 206;
        $pieces .= $piece->{content};
    }
    ok($pieces eq $whole, $file);
}


=== TEST 4: ranges that cannot be
--- check
my $size = length fetch('/clip.mp4/v1/1.m4s')->{content};
for my $range ("$size-", ($size + 100) . '-', '99999999999999-') {
    my $answer = fetch('/clip.mp4/v1/1.m4s', Range => "bytes=$range");
    is($answer->{status}, 416, $range);
    is($answer->{headers}{'content-range'}, "bytes */$size", "$range: size");
}
for my $range ('bytes=', 'bytes=a-b', 'bytes=5-4', 'bytes=-', 'items=0-1') {
    my $answer = fetch('/clip.mp4/v1/1.m4s', Range => $range);
    like($answer->{status}, qr/^(?:200|416)$/, "'$range' is ignored or refused");
    is(length $answer->{content}, $size, "'$range': whole")
        if $answer->{status} == 200;
}


=== TEST 5: several ranges get the whole
--- check
my $whole = fetch('/clip.mp4/v1/1.m4s')->{content};
my $answer = fetch('/clip.mp4/v1/1.m4s', Range => 'bytes=0-9,100-109');
is($answer->{status}, 200, 'one range only');
ok($answer->{content} eq $whole, 'the whole');


=== TEST 6: ranges of HEAD, and of nothing
--- check
my $answer = fetch('/clip.mp4/v1/1.m4s', method => 'HEAD', Range => 'bytes=0-9');
is($answer->{status}, 206, 'HEAD');
is($answer->{headers}{'content-length'}, 10, 'its length');
is(fetch('/clip.mp4/v1/99.m4s', Range => 'bytes=0-9')->{status}, 404,
   'a missing segment is missing');


=== TEST 7: max_ranges 0
--- config
location / {
    vod on;
    max_ranges 0;
    root $TEST_NGINX_FILES;
}
--- request
GET /clip.mp4/v1/1.m4s
--- more_headers
Range: bytes=0-9
--- error_code: 200


=== TEST 8: ranges with every way to send
--- config
location /aio/ {
    vod on;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
location /read/ {
    vod on;
    vod_mmap off;
    sendfile off;
    alias $TEST_NGINX_FIXTURES/;
}
location /direct/ {
    vod on;
    sendfile on;
    directio 1;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
location / {
    vod on;
    sendfile on;
    root $TEST_NGINX_FIXTURES;
}
--- check
for my $file (qw(interleave-sample.mp4 video-only.mp4)) {
    my $whole = fetch("/$file/v1/1.m4s")->{content};
    for my $way (qw(/ /aio/ /read/ /direct/)) {
        my @wrong;
        for my $from (0, 1, 511 .. 513, 4096, int(length($whole) / 2)) {
            my $to = $from + 9999;
            my $answer = fetch("$way$file/v1/1.m4s",
                               Range => "bytes=$from-$to");
            push @wrong, $from if $answer->{status} != 206
                || $answer->{content} ne substr $whole, $from, 10000;
        }
        is("@wrong", '', "$file at $way");
    }
}
