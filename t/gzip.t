# Compressed playlists: a representation of its own, kept in the zone, given
# to those that ask for it by nginx's own rules.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;

BEGIN {
    my ($out, $err) = capture($ENV{TEST_NGINX_BINARY}, '-V');
    skip_suite('nginx is built without gzip')
        if "$out$err" =~ /--without-http_gzip_module/;
}

use Test::Nginx::Socket 'no_plan';
use IO::Uncompress::Gunzip ();

make_certificate();
long_files();
run_tests();


# 40 minutes of sound, whose playlist at 1 s is longer than 64 KiB, and copies
# that have not been asked for.

sub long_files {
    my $path = files_dir() . '/long.mp4';

    long_sound('long.mp4', 40);
    long_sound('minute.mp4', 1);

    for my $n (1 .. 8) {
        copy_file($path, files_dir() . "/left$n.mp4");
        utime 1500000000 + $n, 1500000000 + $n, files_dir() . "/left$n.mp4";
    }
}


sub packed {
    my ($path, %opt) = @_;
    return fetch($path, 'Accept-Encoding' => 'gzip', %opt);
}


sub unpacked {
    my ($packed, $text) = (shift->{content});
    IO::Uncompress::Gunzip::gunzip(\$packed => \$text)
        or return "not gzip: $IO::Uncompress::Gunzip::GunzipError";
    return $text;
}


sub encoding { return shift->{headers}{'content-encoding'} // 'none' }

sub vary { return shift->{headers}{vary} // 'none' }


# Requests as they are written, all at once.

sub raw {
    my @sockets = map {
        my $socket = IO::Socket::INET->new(
            PeerAddr => '127.0.0.1', PeerPort => $ENV{TEST_NGINX_SERVER_PORT},
            Proto => 'tcp', Timeout => 60) or die "connect failed: $!";
        print {$socket} $_;
        $socket->flush;
        $socket;
    } @_;

    return map { local $/; my $all = readline $_; $all // '' } @sockets;
}


sub ask {
    my ($path, $version) = @_;
    return "GET $path HTTP/$version\r\nHost: localhost\r\n"
           . "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n";
}


# Debug lines of the module, where nginx writes any.

sub debug_lines { return scalar grep { /http vod gzip $_[0]/ } error_log_lines() }

sub has_debug {
    my ($out, $err) = capture($ENV{TEST_NGINX_BINARY}, '-V');
    return "$out$err" =~ /--with-debug/;
}

__DATA__

=== TEST 1: the same text, with a header of its own
--- check
my %tags;
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 a1/index.m3u8)) {
    my $plain = fetch("/clip.mp4/$name");
    my $answer = packed("/clip.mp4/$name");
    is($answer->{status}, 200, "$name: status");
    is(encoding($answer), 'gzip', "$name: compressed");
    is(encoding($plain), 'none', "$name: plain where it is not asked for");
    ok(unpacked($answer) eq $plain->{content}, "$name: the same text");
    is($answer->{headers}{'content-length'}, length $answer->{content},
       "$name: length");
    cmp_ok(length $answer->{content}, '<', length $plain->{content},
           "$name: shorter");
    for my $header (qw(content-type last-modified accept-ranges vary)) {
        is($answer->{headers}{$header}, $plain->{headers}{$header},
           "$name: $header");
    }
    like($answer->{headers}{etag}, qr/^"[0-9a-f]{16}"$/, "$name: a strong tag");
    isnt($answer->{headers}{etag}, $plain->{headers}{etag}, "$name: another one");
    my $again = packed("/clip.mp4/$name");
    is($again->{headers}{etag}, $answer->{headers}{etag}, "$name: stable");
    ok($again->{content} eq $answer->{content}, "$name: the same bytes again");
    $tags{ $_->{headers}{etag} } = 1 for $plain, $answer;
}
is(keys %tags, 8, 'no two tags the same');


=== TEST 2: the first request of all asks for it
--- check
my $answer = packed('/clip.mp4/v1/index.m3u8');
is(encoding($answer), 'gzip', 'built, rendered and compressed');
ok(unpacked($answer) eq fetch('/clip.mp4/v1/index.m3u8')->{content}, 'text');
is(status_page()->{index}{builds}, 1, 'one build');


=== TEST 3: header, mtime and OS of the gzip format
--- check
my $answer = packed('/clip.mp4/master.m3u8');
is(unpack('H*', substr $answer->{content}, 0, 10), '1f8b0800000000000003',
   'no time, no name: the same on all servers');


=== TEST 4: headers and segments are never compressed
--- check
for my $name (qw(v1/init.mp4 a1/init.mp4 v1/1.m4s a1/1.m4s)) {
    my $answer = packed("/clip.mp4/$name");
    is(encoding($answer), 'none', "$name: no encoding");
    is(vary($answer), 'none', "$name: does not vary");
    is($answer->{headers}{etag}, fetch("/clip.mp4/$name")->{headers}{etag},
       "$name: one tag");
}
is(encoding(packed('/clip.mp4/v1/index.m3u')), 'none', 'nor is a 404');


=== TEST 5: conditional requests, each form with its tag
--- check
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8)) {
    my $url = "/clip.mp4/$name";
    my %tag = (plain => fetch($url)->{headers}{etag},
               gzip => packed($url)->{headers}{etag});
    my $fresh = packed($url, 'If-None-Match' => $tag{gzip});
    is($fresh->{status}, 304, "$name: its tag");
    is(encoding($fresh), 'none', "$name: 304 has no encoding");
    is($fresh->{headers}{etag}, $tag{gzip}, "$name: and names the tag");
    is(vary($fresh), 'Accept-Encoding', "$name: and what it varies by");
    is($fresh->{content}, '', "$name: no body");
    is(packed($url, 'If-None-Match' => $tag{plain})->{status}, 200,
       "$name: the tag of the plain form");
    is(fetch($url, 'If-None-Match' => $tag{plain})->{status}, 304,
       "$name: plain, its tag");
    is(fetch($url, 'If-None-Match' => $tag{gzip})->{status}, 200,
       "$name: plain, the other's");
    is(packed($url, 'If-None-Match' => "$tag{plain}, $tag{gzip}")->{status}, 304,
       "$name: both");
    is(packed($url, 'If-Match' => $tag{gzip})->{status}, 200, "$name: If-Match");
    is(packed($url, 'If-Match' => $tag{plain})->{status}, 412,
       "$name: If-Match of the other");
    is(packed($url, 'If-Modified-Since'
              => fetch($url)->{headers}{'last-modified'})->{status}, 304,
       "$name: If-Modified-Since");
}


=== TEST 6: ranges of the compressed bytes
--- check
my $url = '/clip.mp4/v1/index.m3u8';
my $whole = packed($url);
my $part = packed($url, Range => 'bytes=5-20');
is($part->{status}, 206, 'partial');
is(encoding($part), 'gzip', 'of the compressed form');
is($part->{headers}{'content-range'}, 'bytes 5-20/' . length $whole->{content},
   'of so many');
ok($part->{content} eq substr($whole->{content}, 5, 16), 'these bytes');
ok(packed($url, Range => 'bytes=-9')->{content} eq substr($whole->{content}, -9),
   'the last');
is(packed($url, Range => 'bytes=' . length($whole->{content}) . '-')->{status},
   416, 'behind the end');
is(packed($url, Range => 'bytes=5-20', 'If-Range' => $whole->{headers}{etag})
       ->{status}, 206, 'If-Range');
my $other = packed($url, Range => 'bytes=5-20',
                   'If-Range' => fetch($url)->{headers}{etag});
is($other->{status}, 200, 'If-Range with the tag of the plain form');
ok($other->{content} eq $whole->{content}, 'gives the whole');


=== TEST 7: HEAD, also as the first request
--- check
my $head = packed('/clip.mp4/v1/index.m3u8', method => 'HEAD');
my $get = packed('/clip.mp4/v1/index.m3u8');
is($head->{content}, '', 'no body');
for my $header (qw(content-length content-encoding etag vary content-type)) {
    is($head->{headers}{$header}, $get->{headers}{$header}, $header);
}


=== TEST 8: Vary without a directive, and once with gzip_vary
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /vary/ {
    vod on;
    gzip_vary on;
    alias $TEST_NGINX_FILES/;
}
location /both/ {
    vod on;
    gzip on;
    gzip_vary on;
    gzip_min_length 1;
    gzip_types application/vnd.apple.mpegurl application/dash+xml;
    alias $TEST_NGINX_FILES/;
}
--- check
for my $prefix ('', '/vary', '/both') {
    for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8)) {
        my $url = "$prefix/clip.mp4/$name";
        is(vary(packed($url)), 'Accept-Encoding', "$url: compressed");
        is(vary(fetch($url)), 'Accept-Encoding', "$url: plain");
    }
}


=== TEST 9: what Accept-Encoding says
--- check
my %want = ('gzip' => 'gzip', 'gzip, deflate, br' => 'gzip', 'br, gzip' => 'gzip',
            'GZIP' => 'gzip', 'deflate' => 'none', 'identity' => 'none',
            'gzip;q=0' => 'none', 'gzip;q=0.5' => 'gzip', 'x-gzip' => 'none');
for my $value (sort keys %want) {
    my $answer = fetch('/clip.mp4/master.m3u8', 'Accept-Encoding' => $value);
    is(encoding($answer), $want{$value}, "\"$value\"");
}


=== TEST 10: HTTP/1.0
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /old/ {
    vod on;
    gzip_http_version 1.0;
    alias $TEST_NGINX_FILES/;
}
--- check
my ($default, $old) = raw(ask('/clip.mp4/master.m3u8', '1.0'),
                          ask('/old/clip.mp4/master.m3u8', '1.0'));
unlike($default, qr/Content-Encoding|Vary/, 'plain for every client');
like($default, qr/\r\n\r\n#EXTM3U/, 'a playlist');
like($old, qr/\r\nContent-Encoding: gzip\r\n/, 'gzip_http_version 1.0');
like($old, qr/\r\nVary: Accept-Encoding\r\n/, 'which varies');


=== TEST 11: requests of proxies
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /any/ {
    vod on;
    gzip_proxied any;
    alias $TEST_NGINX_FILES/;
}
--- check
my $answer = packed('/clip.mp4/master.m3u8', Via => '1.1 edge');
is(encoding($answer), 'none', 'plain by default');
is(vary($answer), 'none', 'for all their clients');
$answer = packed('/any/clip.mp4/master.m3u8', Via => '1.1 edge');
is(encoding($answer), 'gzip', 'gzip_proxied any');
is(vary($answer), 'Accept-Encoding', 'varies');


=== TEST 12: gzip_disable
--- config
location / {
    vod on;
    gzip_disable .;
    root $TEST_NGINX_FILES;
}
--- check
my $url = '/clip.mp4/master.m3u8';
is(encoding(packed($url, 'User-Agent' => 'player/1')), 'none',
   'whoever names itself');
my ($answer) = raw(ask($url, '1.1'));
like($answer, qr/\r\nContent-Encoding: gzip\r\n/,
     'who does not gets what it accepts');


=== TEST 13: with gzip on nothing is compressed twice
--- config
location / {
    vod on;
    gzip on;
    gzip_min_length 1;
    gzip_types application/vnd.apple.mpegurl application/dash+xml;
    root $TEST_NGINX_FILES;
}
location /off/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
--- check
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8)) {
    my $answer = packed("/clip.mp4/$name");
    is(encoding($answer), 'gzip', "$name: once");
    ok(unpacked($answer) eq fetch("/clip.mp4/$name")->{content}, "$name: text");
    my $other = packed("/off/clip.mp4/$name");
    ok($answer->{content} eq $other->{content}, "$name: as without");
    is($answer->{headers}{etag}, $other->{headers}{etag}, "$name: tag");
    is($answer->{headers}{'content-length'}, length $answer->{content},
       "$name: length");
}


=== TEST 14: compressed once for all workers
--- workers: 2
--- log_level: debug
--- check
my %plain = map { $_ => fetch("/clip.mp4/$_")->{content} }
    qw(master.m3u8 manifest.mpd v1/index.m3u8);
my $entries = status_page()->{zone}{entries};
packed("/clip.mp4/$_") for sort keys %plain;
my $status = status_page();
is($status->{zone}{entries}, $entries + 3, 'each is kept');
for my $round (1 .. 4) {
    ok(unpacked(packed("/clip.mp4/$_")) eq $plain{$_}, "$_: time $round")
        for sort keys %plain;
}
is(status_page()->{zone}{entries}, $entries + 3, 'nothing more is');
SKIP: {
    skip 'nginx is built without --with-debug', 1 if !has_debug();
    is(debug_lines('bytes'), 3, 'three times zlib was asked');
}


=== TEST 15: a long playlist is compressed by a thread
--- main_config
thread_pool media threads=1;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    aio threads=media;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- log_level: debug
--- check
my $tasks = sub { scalar grep { /complete task/ } error_log_lines() };
my $url = '/long.mp4/a1/index.m3u8';
my $plain = fetch($url)->{content};
cmp_ok(length $plain, '>', 65536, 'long');
my $entries = status_page()->{zone}{entries};
my $before = $tasks->();
my @answers = raw((ask($url, '1.1')) x 4);
my $after = $tasks->();
s/.*?\r\n\r\n//s for my @bodies = @answers;
is(scalar(grep { unpacked({ content => $_ }) eq $plain } @bodies), 4,
   'several at once, the same text');
is(status_page()->{zone}{entries}, $entries + 1, 'the first is kept');
ok(unpacked(packed($url)) eq $plain, 'from the zone');
ok(unpacked(packed("/long.mp4/$_")) eq fetch("/long.mp4/$_")->{content}, $_)
    for qw(manifest.mpd master.m3u8);
my $all = join '', map {
    my $line = ask($url, '1.1');
    $line =~ s/Connection: close\r\n// if $_ < 3;
    $line;
} 1 .. 3;
my ($pipelined) = raw($all);
is(scalar(() = $pipelined =~ /^Content-Encoding: gzip\r$/mg), 3, 'pipelined');
SKIP: {
    skip 'nginx is built without --with-debug', 2 if !has_debug();
    cmp_ok($before, '>', 0, 'the index was made by a task');
    cmp_ok($after, '>', $before, 'the compressed form as well');
}


=== TEST 16: clients that leave while a thread compresses
--- main_config
thread_pool single threads=1;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    aio threads=single;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- check
my %plain = map { $_ => fetch("/left$_.mp4/a1/index.m3u8")->{content} } 1 .. 8;
my $entries = status_page()->{zone}{entries};
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
held('clip.mp4');
my @sockets;
for my $n (1 .. 8) {
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', Proto => 'tcp',
        PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
    print {$socket} ask("/left$n.mp4/a1/index.m3u8", '1.1');
    $socket->flush;
    push @sockets, $socket;
}
in_flight(9, 'the only thread is at work, their tasks are in its queue');
for my $socket (@sockets) {
    setsockopt $socket, Socket::SOL_SOCKET(), Socket::SO_LINGER(),
        pack 'ii', 1, 0;
    close $socket;
}
is(fetch('/t')->{status}, 200, 'others are served');
release('clip.mp4');
read_all($first);
in_flight(0);
is(status_page()->{zone}{entries}, $entries + 8 + 2, 'each is kept');
ok(unpacked(packed("/left$_.mp4/a1/index.m3u8")) eq $plain{$_}, "file $_")
    for 1 .. 8;
is(status_page()->{zone}{entries}, $entries + 8 + 2, 'and found');


=== TEST 17: a queue that is full: plain, at once
--- main_config
thread_pool tight threads=1 max_queue=1;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /tight/ {
    vod on;
    vod_segment_duration 1s;
    aio threads=tight;
    alias $TEST_NGINX_FILES/;
}
location = /status { vod_status; }
--- check
my @plain = map { fetch("/left$_.mp4/a1/index.m3u8")->{content} } 1 .. 8;
hold('clip.mp4');
my ($running) = ask_all('/tight/clip.mp4/v1/1.m4s');
held('clip.mp4');
my ($queued) = ask_all('/tight/minute.mp4/a1/1.m4s');
in_flight(2);
for my $n (1 .. 8) {
    my $answer = packed("/tight/left$n.mp4/a1/index.m3u8");
    is(encoding($answer), 'none', "file $n: not compressed");
    ok($answer->{content} eq $plain[$n - 1], "file $n: the same text");
}
is(scalar(log_lines(qr/thread pool "tight" queue overflow/, 8)), 8,
   'a line of nginx for each');
release('clip.mp4');
is(grep({ $_->{status} == 200 } read_all($running, $queued)), 2,
   'the others are served');
ok(unpacked(packed("/tight/left$_.mp4/a1/index.m3u8")) eq $plain[$_ - 1],
   "file $_: compressed now") for 1, 8;
is(status_page()->{shed}, 0, 'none was sent away');


=== TEST 18: a zone without room: plain
--- http_config
vod_zone 128k;
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- log_level: debug
--- check
my $plain = fetch('/long.mp4/a1/index.m3u8');
is(status_page()->{index}{uncached}, 1, 'larger than the zone');
for my $time (1, 2) {
    my $answer = packed('/long.mp4/a1/index.m3u8');
    is(encoding($answer), 'none', "time $time: not compressed for one request");
    ok($answer->{content} eq $plain->{content}, "time $time: the same text");
    is($answer->{headers}{etag}, $plain->{headers}{etag}, "time $time: its tag");
}
is(debug_lines('bytes'), 0, 'zlib was not asked');
is(encoding(packed('/clip.mp4/master.m3u8')), 'gzip', 'a small one beside it');


=== TEST 19: evicted and made again: the same bytes and tags
--- http_config
vod_zone 128k;
--- setup
for my $n (1 .. 30) {
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/e$n.mp4");
    utime 1500000000 + $n, 1500000000 + $n, files_dir() . "/e$n.mp4";
}
--- check
my $first = packed('/clip.mp4/v1/index.m3u8');
packed("/e$_.mp4/v1/index.m3u8") for 1 .. 30;
cmp_ok(status_page()->{zone}{evictions}, '>', 0, 'some went out');
my $again = packed('/clip.mp4/v1/index.m3u8');
is($again->{headers}{etag}, $first->{headers}{etag}, 'tag');
ok($again->{content} eq $first->{content}, 'bytes');


=== TEST 20: filters that work on the text get the text
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /sub/ {
    vod on;
    alias $TEST_NGINX_FILES/;
    sub_filter_types application/vnd.apple.mpegurl;
    sub_filter 'v1/index.m3u8' 'v1/index.m3u8?token=x';
}
location /sub_gzip/ {
    vod on;
    alias $TEST_NGINX_FILES/;
    sub_filter_types application/vnd.apple.mpegurl;
    sub_filter 'v1/index.m3u8' 'v1/index.m3u8?token=x';
    sub_filter_last_modified on;
    gzip on;
    gzip_min_length 1;
    gzip_types application/vnd.apple.mpegurl;
}
location /ssi/ {
    vod on;
    alias $TEST_NGINX_FILES/;
    ssi on;
    ssi_types application/vnd.apple.mpegurl;
}
location /addition/ {
    vod on;
    alias $TEST_NGINX_FILES/;
    addition_types application/vnd.apple.mpegurl;
    add_after_body /after;
}
location = /after { return 200 "#after\n"; }
--- check
my $plain = fetch('/clip.mp4/master.m3u8')->{content};
(my $rewritten = $plain) =~ s{v1/index\.m3u8}{v1/index.m3u8?token=x};
for my $time (1, 2) {
    my $answer = packed('/sub/clip.mp4/master.m3u8');
    is(encoding($answer), 'none', 'sub_filter: no encoding');
    is($answer->{content}, $rewritten, 'sub_filter: rewritten');
    $answer = packed('/sub_gzip/clip.mp4/master.m3u8');
    is(encoding($answer), 'gzip', 'with gzip on');
    is(unpacked($answer), $rewritten, 'rewritten, then compressed');
    like($answer->{headers}{etag} // '', qr{^W/}, 'its tag is weak');
    is(packed('/sub_gzip/clip.mp4/master.m3u8',
              'If-None-Match' => $answer->{headers}{etag})->{status}, 304,
       'and matches');
    is(packed('/ssi/clip.mp4/master.m3u8')->{content}, $plain, 'SSI');
    is(packed('/addition/clip.mp4/master.m3u8')->{content}, "$plain#after\n",
       'addition');
}
is(packed('/sub/clip.mp4/master.m3u8', method => 'HEAD')->{status}, 200, 'HEAD');
is(encoding(packed('/sub/clip.mp4/manifest.mpd')), 'gzip',
   'a type the filter leaves alone');


=== TEST 21: included in a page
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /page/ {
    ssi on;
    ssi_types *;
    default_type text/plain;
    alias $TEST_NGINX_FILES/page/;
}
--- setup
mkdir files_dir() . '/page';
write_file(files_dir() . '/page/playlist',
           '[<!--#include virtual="/clip.mp4/master.m3u8"-->]');
--- check
packed('/clip.mp4/master.m3u8');
is(packed('/page/playlist')->{content},
   '[' . fetch('/clip.mp4/master.m3u8')->{content} . ']', 'plain');


=== TEST 22: over TLS
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 ssl;
ssl_certificate $TEST_NGINX_FILES/tls.crt;
ssl_certificate_key $TEST_NGINX_FILES/tls.key;
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- check
my $url = "https://127.0.0.1:$ENV{TEST_NGINX_PORT_1}/clip.mp4/v1/index.m3u8";
my ($out) = capture('curl', '-sSk', '-H', 'Accept-Encoding: gzip', $url);
ok($out eq packed('/clip.mp4/v1/index.m3u8')->{content}, 'compressed');


=== TEST 23: proxy_cache in front
--- http_config
proxy_cache_path $TEST_NGINX_SERVER_ROOT/vary_cache keys_zone=vary:1m;
proxy_cache_path $TEST_NGINX_SERVER_ROOT/one_cache keys_zone=one:1m;
proxy_cache_path $TEST_NGINX_SERVER_ROOT/old_cache keys_zone=old:1m;
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /set/ {
    vod on;
    gzip_vary on;
    alias $TEST_NGINX_FILES/;
}
location /edge/ {
    proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_cache vary;
    proxy_cache_valid 200 1h;
    add_header X-Edge $upstream_cache_status;
}
location /one/ {
    proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Accept-Encoding gzip;
    proxy_ignore_headers Vary;
    proxy_cache one;
    proxy_cache_valid 200 1h;
    gunzip on;
    add_header X-Edge $upstream_cache_status;
}
location /old/ {
    proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    proxy_http_version 1.0;
    proxy_cache old;
    proxy_cache_valid 200 1h;
    add_header X-Edge $upstream_cache_status;
}
--- check
my $edge = sub {
    my ($url, @headers) = @_;
    my $answer = fetch($url, @headers);
    my $text = encoding($answer) eq 'gzip' ? unpacked($answer)
                                           : $answer->{content};
    return (join(' ', encoding($answer), $answer->{headers}{'x-edge'}), $text);
};
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8)) {
    my $text = fetch("/clip.mp4/$name")->{content};
    my @gzip = ('Accept-Encoding' => 'gzip');
    for my $url ("/edge/clip.mp4/$name", "/edge/set/clip.mp4/$name") {
        for my $case ([[@gzip], 'gzip MISS'], [[], 'none MISS'],
                      [[@gzip], 'gzip HIT'], [[], 'none HIT'])
        {
            my ($said, $body) = $edge->($url, @{ $case->[0] });
            is($said, $case->[1], "$url: $case->[1]");
            ok($body eq $text, "$url: the same text");
        }
    }
    for my $case ([[], 'none MISS'], [[@gzip], 'gzip HIT'], [[], 'none HIT']) {
        my ($said, $body) = $edge->("/one/clip.mp4/$name", @{ $case->[0] });
        is($said, $case->[1], "/one/$name: kept once, $case->[1]");
        ok($body eq $text, "/one/$name: the same text");
    }
    for my $case ([[@gzip], 'none MISS'], [[], 'none HIT']) {
        my ($said, $body) = $edge->("/old/clip.mp4/$name", @{ $case->[0] });
        is($said, $case->[1], "/old/$name: HTTP/1.0, $case->[1]");
        ok($body eq $text, "/old/$name: the same text");
    }
}
