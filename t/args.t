# Arguments of a request: which ones are refused, which are carried into the
# URLs of playlists, and URLs that are absolute.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

no_shuffle();
run_tests();


# Every URL that a playlist or an MPD has in it, as it stands there, templates
# included.

sub urls {
    my ($text) = @_;

    if ($text =~ /^#EXTM3U/) {
        return $text =~ /^([^#\s].*)$/mg, $text =~ /\bURI="([^"]*)"/g;
    }

    return map { my $url = $_; $url =~ s/&amp;/&/g; $url }
        $text =~ /\b(?:media|initialization)="([^"]*)"/g;
}


# The status line of a request whose path is sent as it is.

sub raw {
    my ($path, @headers) = @_;

    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        Proto => 'tcp', PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
    print {$socket} join("\r\n", "GET $path HTTP/1.1",
        @headers ? @headers : 'Host: localhost', 'Connection: close', '', '');
    $socket->flush;
    local $/;

    return scalar <$socket>;
}

__DATA__

=== TEST 1: what is no argument is refused, whatever is asked for
--- http_config
log_format vod '$args $status $vod_error';
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
    access_log logs/vod.log vod;
}
location = /status { vod_status; }
--- check
my $plain = fetch('/clip.mp4/master.m3u8');
my @wrong = ('from=', 'from', 'to=', 'from=1e999', 'from=nan', 'from=inf',
    'from=-1', 'from=+1', 'from=0x1', 'from=1,5', 'from=1%205', 'from=%00',
    'from=1%00', 'from=%', 'from=%2', 'from=%zz', 'from=.5', 'from=5.',
    'from=1.2.3', 'from=12345678901234567890', 'from=1000000000',
    'to=18446744073709551616', 'from=' . '1' x 2000, 'from=1&from=1',
    'to=1&to=2', 'from=1&fr%6fm=2', 'from=2&to=1', 'from=1&to=1', 'to=0',
    'from=1&to=0.9999999', 'tracks=', 'tracks', 'tracks=x1', 'tracks=v0',
    'tracks=v1,', 'tracks=v1%', 'tracks=v1;a1', 'tracks=v1&tracks=a1',
    'tracks=v99999999999999999999', 'x=1&&from=&y', 'from=0&to=0');
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/iframes.m3u8
                 v1/init.mp4 a1/1.m4s))
{
    for my $args (@wrong) {
        my $answer = fetch("/clip.mp4/$name?$args");
        is($answer->{status}, 400, substr("$name?$args", 0, 60));
    }
}
is(fetch("/nothing.mp4/master.m3u8?from=x")->{status}, 400,
   'before the file is looked for');
is(fetch("/clip.mp4/nothing?from=x")->{status}, 404, 'a name that is none');
is(fetch("/clip.mp4/master.m3u8?from=x", method => 'POST')->{status}, 405,
   'a method that is none');
is(fetch("/clip.mp4/master.m3u8?from=x", method => 'HEAD')->{status}, 400,
   'HEAD');

my @lines = log_lines(qr/\[info\].* vod: argument "from" is "nan", not seconds/);
is(scalar(@lines), 6, 'a line of level info says why');
is(scalar(log_lines(qr/\[(?:warn|error|crit|alert)\]/)), 0, 'none of a higher one');

my $log = slurp("$VodTest::Scratch/root/logs/vod.log");
like($log, qr/^from=nan 400 arguments$/m, '$vod_error');
my $status = status_page();
cmp_ok($status->{errors}{arguments}, '>=', 6 * @wrong, 'and the status has them');

# odd ones that are none of ours change nothing

for my $args ('x', '=', '&&', 'From=1', 'FROM=x', 'from%=x', 'from[]=x',
              'a=%', 'from=0', 'from=0.0000', '%00=%00', 'x=' . 'y' x 4000)
{
    my $answer = fetch("/clip.mp4/master.m3u8?$args");
    is($answer->{status}, 200, substr($args, 0, 60));
    ok($answer->{content} eq $plain->{content}, '... the same');
    is($answer->{headers}{etag}, $plain->{headers}{etag}, '... and its tag');
}


=== TEST 2: arguments that are carried into every URL
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    vod_forward_args on;
    root $TEST_NGINX_FILES;
}
location /named/ {
    vod on;
    vod_segment_duration 1s;
    vod_forward_args token key sig;
    alias $TEST_NGINX_FILES/;
    location /named/off/ {
        vod_forward_args off;
        alias $TEST_NGINX_FILES/;
    }
    location /named/on/ {
        vod_forward_args on;
        alias $TEST_NGINX_FILES/;
    }
    location /named/same/ {
        alias $TEST_NGINX_FILES/;
    }
}
location = /status { vod_status; }
--- check
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/iframes.m3u8
               a1/index.m3u8);
my $query = 'token=abc%2Fdef&x=1';
for my $name (@names) {
    my $plain = fetch("/clip.mp4/$name");
    my $answer = fetch("/clip.mp4/$name?$query");
    is($answer->{status}, 200, $name);
    my @plain = urls($plain->{content});
    my @urls = urls($answer->{content});
    cmp_ok(scalar @urls, '>', 1, "$name: it has URLs");
    is(scalar @urls, scalar @plain, "$name: as many as without");
    is(scalar(grep { !/\?\Q$query\E\z/ } @urls), 0, "$name: all have it");
    is_deeply([map { s/\?.*//r } @urls], \@plain, "$name: and are the same");
    isnt($answer->{headers}{etag}, $plain->{headers}{etag}, "$name: tag");
    is($answer->{headers}{'content-length'}, length $answer->{content},
       "$name: length");

    my $tag = $answer->{headers}{etag};
    is(fetch("/clip.mp4/$name?$query", 'If-None-Match' => $tag)->{status},
       304, "$name: not modified");
    is(fetch("/clip.mp4/$name?token=2", 'If-None-Match' => $tag)->{status},
       200, "$name: with others it is another");
    my $head = fetch("/clip.mp4/$name?$query", method => 'HEAD');
    is($head->{headers}{etag}, $tag, "$name: HEAD");
    is($head->{headers}{'content-length'}, length $answer->{content},
       "$name: HEAD: length");
}
is(fetch("/clip.mp4/a1/1.m4s?$query")->{headers}{etag},
   fetch('/clip.mp4/a1/1.m4s')->{headers}{etag}, 'a segment is the same');

for my $url (urls(fetch("/clip.mp4/v1/index.m3u8?$query")->{content})) {
    is(fetch("/clip.mp4/v1/$url")->{status}, 200, $url);
}

# what is to be escaped is, what is ours is not carried on like the others

my %carried = (
    'a=1&from=0&b=2' => 'a=1&b=2',
    'from=0&tracks=v1' => '',
    'tr%61cks=v1&a' => 'a',
    '&&a&&=&' => 'a&=',
    'a=$Number$&b=$' => 'a=$Number$&b=$',
    'a=it\'s(1)*;,:@/?' => 'a=it\'s(1)*;,:@/?',
    'a=100%&b=%zz&c=%2' => 'a=100%25&b=%25zz&c=%252',
    'a=b=c=d' => 'a=b=c=d',
);
for my $args (sort keys %carried) {
    my $text = fetch("/clip.mp4/v1/index.m3u8?$args")->{content};
    my $expected = $carried{$args} eq '' ? '' : "?$carried{$args}";
    is(scalar(grep { !/^[^?]*\Q$expected\E\z/ } urls($text)), 0,
       "'$args': '$expected'");
}
for my $byte ('"', '<', '>', '{', '|', '\\', '^', '`', "\xe9", "\x7f") {
    my $text = raw("/clip.mp4/v1/index.m3u8?a=${byte}b");
    next if $text =~ m{^HTTP/1.1 400};
    my $escaped = sprintf '%%%02X', ord $byte;
    my ($body) = $text =~ /\r\n\r\n(.*)/s;
    is(scalar(grep { !/\?a=\Q$escaped\Eb\z/ } urls($body)), 0,
       "'$escaped' is escaped");
    like($body, qr/^[\x0a\x20-\x7e]*\z/, 'and nothing ends a line');
}
my $mpd = raw('/clip.mp4/manifest.mpd?a=<b>&c="d"&e=$Time$');
$mpd =~ s/.*?\r\n\r\n//s;
write_file("$VodTest::Scratch/args.mpd", $mpd);
is(system('xmllint', '--noout', "$VodTest::Scratch/args.mpd"), 0,
   'the MPD is XML');
like($mpd, qr/a=%3Cb%3E&amp;c=%22d%22&amp;e=\$\$Time\$\$/, 'and "$" is doubled');

# a choice of them

my %named = (
    'token=1&x=2&key=3' => '?token=1&key=3',
    'tok%65n=1' => '?tok%65n=1',
    'TOKEN=1' => '',
    'x=1' => '',
    'token' => '?token',
    'token=1&token=2' => '?token=1&token=2',
    'tokens=1&toke=2' => '',
);
for my $folder ('/named', '/named/same') {
    for my $args (sort keys %named) {
        my $text = fetch("$folder/clip.mp4/v1/index.m3u8?$args")->{content};
        is(scalar(grep { !/^[^?]*\Q$named{$args}\E\z/ } urls($text)), 0,
           "$folder: '$args': '$named{$args}'");
    }
}
is(scalar(grep { /\?/ }
          urls(fetch('/named/off/clip.mp4/v1/index.m3u8?token=1')->{content})),
   0, 'off');
is(scalar(grep { !/\?x=1\z/ }
          urls(fetch('/named/on/clip.mp4/v1/index.m3u8?x=1')->{content})),
   0, 'on');

# not without a bound, and not at the cost of what is kept

is(fetch('/clip.mp4/master.m3u8?x=' . 'y' x 4094)->{status}, 200,
   '4,096 bytes');
is(fetch('/clip.mp4/master.m3u8?x=' . 'y' x 4095)->{status}, 400, 'one more');
is(fetch('/named/clip.mp4/master.m3u8?x=' . 'y' x 4095)->{status}, 200,
   'one more that is not carried on');
my $entries = status_page()->{zone}{entries};
fetch("/clip.mp4/master.m3u8?token=$_") for 1 .. 20;
is(status_page()->{zone}{entries}, $entries, 'nothing of it is kept');


=== TEST 3: absolute URLs
--- config
vod_base_url https://cdn.example.com/x;
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location /host/ {
    vod on;
    vod_segment_duration 1s;
    vod_base_url $scheme://$http_host;
    vod_forward_args token;
    alias $TEST_NGINX_FILES/;
}
location /arg/ {
    vod on;
    vod_segment_duration 1s;
    vod_base_url $arg_base;
    alias $TEST_NGINX_FILES/;
}
location /whole/ {
    vod on;
    vod_segment_duration 1s;
    vod_base_url /elsewhere/clip/;
    alias $TEST_NGINX_FILES/;
}
location /none/ {
    vod on;
    vod_segment_duration 1s;
    vod_base_url "";
    alias $TEST_NGINX_FILES/;
}
location /rewritten/ {
    rewrite ^/rewritten/(.*) /host/$1 last;
}
location = /status { vod_status; }
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . "/a b%.mp4");
--- check
sub bases {
    my ($path, @headers) = @_;
    my ($body) = raw($path, @headers) =~ /\r\n\r\n(.*)/s;
    my %bases;
    if ($body =~ /^#EXTM3U/) {
        for my $url (urls($body)) {
            $url =~ s{(?:[va]\d/)?[^/]*\z}{};
            $bases{$url} = 1;
        }
    } else {
        $bases{$1} = 1 while $body =~ m{<BaseURL>([^<]*)</BaseURL>}g;
    }
    return join ' ', sort keys %bases;
}
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/iframes.m3u8)) {
    is(bases("/clip.mp4/$name"), 'https://cdn.example.com/x/clip.mp4/',
       "$name: one of the server");
    is(bases("/a%20b%25.mp4/$name"),
       'https://cdn.example.com/x/a%20b%25.mp4/', "$name: escaped");
    is(bases("/whole/clip.mp4/$name"), '/elsewhere/clip/',
       "$name: with a slash it is all");
    is(bases("/host/clip.mp4/$name", 'Host: a.example:81'),
       'http://a.example:81/host/clip.mp4/', "$name: of the request");
    is(bases("/rewritten/clip.mp4/$name", 'Host: b.example'),
       'http://b.example/host/clip.mp4/', "$name: rewritten");
    is(bases("/host/clip.mp4/$name", 'Host: [::1]:81'),
       'http://[::1]:81/host/clip.mp4/', "$name: an address");
    is(bases("/none/clip.mp4/$name"), '', "$name: none");
    is(bases("/arg/clip.mp4/$name"), '', "$name: one that is empty");
    is(bases("/arg/clip.mp4/$name?base=//c\"<d>"),
       '//c%22%3Cd%3E/arg/clip.mp4/', "$name: no quotes");

    my ($one, $other) = map { fetch($_) } "/clip.mp4/$name",
                                          "/none/clip.mp4/$name";
    isnt($one->{headers}{etag}, $other->{headers}{etag},
         "$name: another tag than without");
    is(fetch("/clip.mp4/$name")->{headers}{etag}, $one->{headers}{etag},
       "$name: the same each time");
    isnt(fetch("/whole/clip.mp4/$name")->{headers}{etag},
         $one->{headers}{etag}, "$name: another base, another tag");
    is(fetch("/clip.mp4/$name", 'If-None-Match' => $one->{headers}{etag})
           ->{status}, 304, "$name: not modified");
}
like(fetch('/host/clip.mp4/v1/index.m3u8?token=1&x=2')->{content},
     qr{^http://[^/]*/host/clip\.mp4/v1/1-[0-9a-f]{12}\.m4s\?token=1$}m,
     'with arguments');
is(fetch('/clip.mp4/v1/init.mp4')->{headers}{etag},
   fetch('/none/clip.mp4/v1/init.mp4')->{headers}{etag},
   'a header has no URLs');

# one that does not depend on the request is kept, and compressed

my $answer = fetch('/clip.mp4/master.m3u8', 'Accept-Encoding' => 'gzip');
is($answer->{headers}{'content-encoding'}, 'gzip', 'compressed');
my $entries = status_page()->{zone}{entries};
fetch('/host/clip.mp4/master.m3u8', 'Accept-Encoding' => 'gzip');
fetch('/clip.mp4/master.m3u8', 'Accept-Encoding' => 'gzip');
is(status_page()->{zone}{entries}, $entries, 'nothing more is kept');


=== TEST 4: a location without arguments
--- config
location / {
    vod on;
    vod_forward_args on;
    set $args "";
    root $TEST_NGINX_FILES;
}
--- check
my $plain = fetch('/clip.mp4/master.m3u8');
for my $args ('from=1', 'from=x', 'to=0.5', 'tracks=x', 'token=1') {
    my $answer = fetch("/clip.mp4/master.m3u8?$args");
    is($answer->{status}, 200, $args);
    ok($answer->{content} eq $plain->{content}, "$args means nothing");
}


=== TEST 5: a directive twice
--- config
location / { vod on; vod_forward_args on; vod_forward_args off; }
--- must_die
--- error_log
"vod_forward_args" directive is duplicate


=== TEST 6: one of the module's own
--- config
location / { vod on; vod_forward_args token from; }
--- must_die
--- error_log
argument "from" is the module's own, and is carried on by itself


=== TEST 7: a base that is none
--- config
location / { vod on; vod_base_url cdn.example.com; }
--- must_die
--- error_log
"vod_base_url" is "cdn.example.com", it must begin with "http://", "https://" or "/"


=== TEST 8: a base twice
--- config
location / { vod on; vod_base_url /a; vod_base_url /b; }
--- must_die
--- error_log
"vod_base_url" directive is duplicate
