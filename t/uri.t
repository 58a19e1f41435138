# Which URLs there are, how they map to files, and that all others are 404.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every URL of an asset
--- check
for my $name (qw(master.m3u8 manifest.mpd
                 v1/index.m3u8 v1/init.mp4 v1/1.m4s v1/2.m4s
                 v1/iframes.m3u8
                 a1/index.m3u8 a1/init.mp4 a1/1.m4s a1/2.m4s))
{
    is(fetch("/clip.mp4/$name")->{status}, 200, $name);
}


=== TEST 2: names that are none of them
--- check
my @names = (
    '', '/', '/index.m3u8', '/init.mp4', '/1.m4s', '/master', '/master.m3u',
    '/master.m3u8/', '/Master.m3u8', '/master.m3u88', '/manifest.mpd/',
    '/manifest', '/v1', '/v1/', '/v1/master.m3u8', '/v1/manifest.mpd',
    '/v0/index.m3u8', '/v01/index.m3u8', '/v/index.m3u8', '/v1x/index.m3u8',
    '/V1/index.m3u8', '/v-1/index.m3u8', '/v+1/index.m3u8',
    '/v99999999999999999999/index.m3u8', '/v4294967297/index.m3u8',
    '/v18446744073709551617/index.m3u8',
    '/x1/index.m3u8', '/s1/index.m3u8', '/1/index.m3u8', '/v2/index.m3u8',
    '/a0/index.m3u8', '/a2/index.m3u8', '/v1/index.m3u8/', '/v1/index.mpd',
    '/v1/0.m4s', '/v1/01.m4s', '/v1/-1.m4s', '/v1/+1.m4s', '/v1/1.mp4',
    '/v1/1.m4s/', '/v1/1.m4sx', '/v1/1.M4S', '/v1/.m4s', '/v1/m4s', '/v1/1',
    '/v1/1x.m4s', '/v1/0x1.m4s', '/v1/1e0.m4s', '/v1/999.m4s',
    '/v1/4294967297.m4s', '/v1/18446744073709551617.m4s',
    '/v1/99999999999999999999999999.m4s', '/v2/1.m4s', '/a2/init.mp4',
    '/v1/init.m4s', '/v1/init', '/v1/init.mp4x', '/v1/v1/1.m4s',
    '/v1/a1/1.m4s', '/a1/iframes.m3u8', '/v2/iframes.m3u8', '/iframes.m3u8',
    '/v1/iframes.m3u8/', '/v1/1.vtt', '/s1/1.vtt',
    '/master.m3u8/index.m3u8', '/master.m3u8/v1/index.m3u8',
    '/manifest.mpd/v1/init.mp4', '/v1/index.m3u8/1.m4s', '/v1%2Findex.m3u8x',
    '/v1/1.m4s%00', '/v1/%31.m4s/x', '/nosuch/master.m3u8',
);

for my $name (@names) {
    my $answer = fetch("/clip.mp4$name");
    my $expected = $name =~ /%00/ ? qr/^40[04]$/ : qr/^404$/;
    like($answer->{status}, $expected, "'$name' is not there");
}

is(log_lines(qr{\[error\].*" vod: }), 0, 'and nothing is an error of the module');


=== TEST 3: tokens of the right and the wrong form
--- check
my $token = token_of('/clip.mp4/v1/index.m3u8');
like($token, qr/^[0-9a-f]{12}$/, 'twelve lower-case digits');
is(token_of('/clip.mp4/a1/index.m3u8'), $token, 'one for all tracks');

is(fetch("/clip.mp4/v1/init-$token.mp4")->{status}, 200, 'header');
is(fetch("/clip.mp4/v1/1-$token.m4s")->{status}, 200, 'segment');

for my $form (qw(init plain)) {
    for my $url ($form eq 'init' ? 'init-%s.mp4' : '1-%s.m4s') {
        for my $bad ('', '0', substr($token, 1), "${token}0", uc("abc$token"),
                     'ABCDEF012345', 'g' x 12, '0' x 12, 'f' x 12,
                     "$token-$token", " $token")
        {
            my $path = sprintf "/clip.mp4/v1/$url", $bad;
            $path =~ s/ /%20/;
            is(fetch($path)->{status}, 404, "token '$bad' of $form");
        }
    }
}


=== TEST 4: a query string changes nothing
--- check
my $plain = fetch('/clip.mp4/master.m3u8');
my $query = fetch('/clip.mp4/master.m3u8?a=b&v1/index.m3u8');
is($query->{status}, 200, 'served');
ok($query->{content} eq $plain->{content}, 'the same');


=== TEST 5: names of files, odd ones too
--- setup
for my $name ('a b.mp4', "\xc3\xa9.mp4", '50%.mp4', 'x;y.mp4', "it's.mp4",
              '[1].mp4', 'noending', '.hidden.mp4', 'master.m3u8',
              'manifest.mpd', '1.m4s', 'init.mp4', 'v1', 'a?b#c.mp4',
              'wrong.mkv')
{
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/$name");
}
--- check
my $expected = fetch('/clip.mp4/v1/1.m4s')->{content};
for my $name ('a b.mp4', "\xc3\xa9.mp4", '50%.mp4', 'x;y.mp4', "it's.mp4",
              '[1].mp4', 'noending', '.hidden.mp4', 'master.m3u8',
              'manifest.mpd', '1.m4s', 'init.mp4', 'v1', 'a?b#c.mp4',
              'wrong.mkv')
{
    my $path = asset($name, '/');
    is(fetch("$path/master.m3u8")->{status}, 200, "$name: master");
    is(fetch("$path/manifest.mpd")->{status}, 200, "$name: manifest");
    my ($map, @segments) = media_urls("$path/v1/index.m3u8");
    is(fetch($map)->{status}, 200, "$name: header");
    ok(fetch($segments[0])->{content} eq $expected, "$name: segment");
}


=== TEST 6: folders, and folders with the names of ours
--- setup
for my $dir ('d', 'd/v1', 'd/v1/master.m3u8', 'd/clip.mp4') {
    mkdir files_dir() . "/$dir";
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/$dir/f.mp4");
}
--- check
for my $dir ('d', 'd/v1', 'd/v1/master.m3u8', 'd/clip.mp4') {
    is(fetch("/$dir/f.mp4/master.m3u8")->{status}, 200, "$dir: master");
    is(fetch("/$dir/f.mp4/v1/1.m4s")->{status}, 200, "$dir: segment");
}
for my $path ('/d/manifest.mpd', '/d/v1/master.m3u8', '/d/v1/index.m3u8',
              '/d/v1/1.m4s', '/d/clip.mp4/master.m3u8')
{
    is(fetch($path)->{status}, 200, "$path: a folder is an asset");
}
for my $path ('/master.m3u8', '/v1/index.m3u8') {
    is(fetch($path)->{status}, 404, "$path: an asset has a name");
}
is(fetch('//d///f.mp4//master.m3u8')->{status}, 200, 'slashes are merged');
is(fetch('/d/../d/f.mp4/master.m3u8')->{status}, 200, 'dots are resolved');
is(fetch('/d/..%2f..%2f..%2fetc/passwd/master.m3u8')->{status}, 400,
   'not above the root');


=== TEST 7: alias, alias with captures, nested locations
--- config
location ^~ /alias/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
location ~ "^/capture/(?<file>[^/]+)(?<tail>/.*)$" {
    vod on;
    alias $TEST_NGINX_FILES/$file$tail;
}
location ^~ /outer/ {
    location ^~ /outer/inner/ {
        vod on;
        alias $TEST_NGINX_FILES/;
    }
}
location = /clip.mp4/master.m3u8 {
    vod on;
    root $TEST_NGINX_FILES;
}
location ~ \.(?:m3u8|mpd|mp4|m4s)$ {
    vod on;
    root $TEST_NGINX_FILES;
}
--- check
my $expected = fetch('/clip.mp4/v1/1.m4s')->{content};
is(length $expected > 0, 1, 'regex location');
for my $prefix ('/alias', '/outer/inner', '/capture') {
    is(fetch("$prefix/clip.mp4/master.m3u8")->{status}, 200, "$prefix: master");
    ok(fetch("$prefix/clip.mp4/v1/1.m4s")->{content} eq $expected,
       "$prefix: segment");
    is(fetch("$prefix/nosuch.mp4/v1/1.m4s")->{status}, 404, "$prefix: missing");
}
is(fetch('/clip.mp4/master.m3u8')->{status}, 200, 'exact location');


=== TEST 8: rewritten to a vod location
--- config
location /pretty/ {
    rewrite ^/pretty/(.*)$ /clip.mp4/$1 last;
}
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
--- check
for my $name (qw(master.m3u8 v1/index.m3u8 v1/1.m4s)) {
    my $answer = fetch("/pretty/$name");
    is($answer->{status}, 200, $name);
    ok($answer->{content} eq fetch("/clip.mp4/$name")->{content},
       "$name is the same");
}


=== TEST 9: a missing file is logged once, by nginx; log_not_found off is kept
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /quiet/ {
    vod on;
    log_not_found off;
    alias $TEST_NGINX_FILES/;
}
--- check
is(fetch('/nosuch.mp4/master.m3u8')->{status}, 404, 'missing');
is(fetch('/quiet/other.mp4/master.m3u8')->{status}, 404, 'missing, quietly');
is(log_lines(qr/nosuch\.mp4/), 1, 'one line');
is(log_lines(qr/other\.mp4/), 0, 'no line');
