# Every way nginx can send a file gives the same bytes.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Socket ();
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: sendfile, aio, directio, mappings and reads, in all combinations
--- http_config
vod_segment_duration 2s;
--- config eval
CORE::join '', map {
    my ($name, @settings) = split;
    "location /$name/ { vod on; alias \$TEST_NGINX_FIXTURES/; "
    . CORE::join(' ', map { tr/=/ /r . ';' } @settings) . " }\n"
} (
    'plain sendfile=off aio=off',
    'sendfile sendfile=on',
    'chunks sendfile=on sendfile_max_chunk=4k',
    'threads sendfile=on aio=threads',
    'readthreads sendfile=off aio=threads',
    'direct sendfile=off directio=1',
    'directthreads sendfile=on directio=1 aio=threads',
    'directlate sendfile=on directio=100k aio=threads',
    'aligned sendfile=on directio=1 directio_alignment=4k aio=threads',
    'unmapped sendfile=on vod_mmap=off',
    'unmappedread sendfile=off vod_mmap=off',
    'unmappedthreads sendfile=on vod_mmap=off aio=threads',
    'buffers sendfile=off vod_mmap=off output_buffers=1=512',
    'nopush sendfile=on tcp_nopush=on',
    'ahead sendfile=on read_ahead=1k',
)
--- check
my @ways = qw(sendfile chunks threads readthreads direct directthreads
    directlate aligned unmapped unmappedread unmappedthreads buffers nopush ahead);

for my $file (qw(interleave-sample.mp4 interleave-chunk.mp4
                 interleave-track.mp4 video-only.mp4 mdats.mp4))
{
    my @urls = ((media_urls("/plain/$file/v1/index.m3u8"))[1 .. 3]);
    push @urls, (media_urls("/plain/$file/a1/index.m3u8"))[1 .. 3]
        if $file ne 'video-only.mp4';
    my @expected = map { fetch($_)->{content} } @urls;

    for my $way (@ways) {
        my @wrong;
        for my $n (0 .. $#urls) {
            my $url = $urls[$n] =~ s{^/plain/}{/$way/}r;
            push @wrong, $url if fetch($url)->{content} ne $expected[$n];
        }
        is("@wrong", '', "$file: $way");
    }
}


=== TEST 2: a segment larger than any buffer, read slowly
--- config
location / {
    vod on;
    vod_segment_duration 60s;
    sendfile off;
    root $TEST_NGINX_FIXTURES;
}
location /sendfile/ {
    vod on;
    vod_segment_duration 60s;
    sendfile on;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
for my $prefix ('', '/sendfile') {
    my $url = "$prefix/long.mp4/v1/1.m4s";
    my $whole = fetch($url)->{content};
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
    setsockopt $socket, Socket::SOL_SOCKET(), Socket::SO_RCVBUF(), pack 'i', 65536;
    print $socket "GET $url HTTP/1.0\r\n\r\n";
    my $all = '';
    while (sysread $socket, my $some, 3000) {
        $all .= $some;
        select undef, undef, undef, 0.0001;
    }
    my (undef, $body) = split /\r\n\r\n/, $all, 2;
    is(length $body, length $whole, "$prefix length");
    ok($body eq $whole, "$prefix bytes");
}


=== TEST 3: the open file cache holds the file for direct transfer
--- config
open_file_cache max=10;
location /static/ {
    alias $TEST_NGINX_FIXTURES/;
    directio 1;
}
location /vod/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
is(fetch('/static/interleave-sample.mp4')->{status}, 200, 'as it is');
is(fetch('/vod/interleave-sample.mp4/master.m3u8')->{status}, 200, 'indexed');

for my $url (media_urls('/vod/interleave-sample.mp4/v1/index.m3u8')) {
    is(fetch($url)->{status}, 200, 'read');
}
