# Answers other than 200, and the lines they leave in the log.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: 404 for a missing file
--- request
GET /nosuch.mp4/master.m3u8
--- error_code: 404


=== TEST 2: 405 for other methods
--- check
for my $method (qw(POST PUT DELETE PATCH OPTIONS)) {
    for my $name (qw(master.m3u8 v1/1.m4s nothing)) {
        is(fetch("/clip.mp4/$name", method => $method, body => 'x')->{status},
           405, "$method $name");
    }
}
is(status_page()->{index}{builds}, 0, 'no file was opened for it');


=== TEST 3: a body sent with GET is discarded
--- check
my $answer = fetch('/clip.mp4/v1/1.m4s', body => 'x' x 100000);
is($answer->{status}, 200, 'served');
is(length $answer->{content}, $answer->{headers}{'content-length'}, 'whole');


=== TEST 4: 403 for a file that may not be read
--- worker_user: nobody nogroup
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . '/secret.mp4');
chmod 0, files_dir() . '/secret.mp4';
--- check
SKIP: {
    skip 'the workers run as the owner of the files', 2 if $> != 0;
    skip 'the folder of the suite is closed to nobody', 2
        if fetch('/clip.mp4/master.m3u8')->{status} != 200;
    is(fetch('/secret.mp4/master.m3u8')->{status}, 403, 'playlist');
    is(fetch('/secret.mp4/v1/1.m4s')->{status}, 403, 'segment');
}
chmod 0644, files_dir() . '/secret.mp4';


=== TEST 5: 403 for a link where links are disabled
--- config
location / {
    vod on;
    disable_symlinks on;
    root $TEST_NGINX_FILES;
}
location /links/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
--- setup
unlink files_dir() . '/link.mp4';
symlink files_dir() . '/clip.mp4', files_dir() . '/link.mp4';
--- check
is(fetch('/link.mp4/master.m3u8')->{status}, 403, 'disabled');
is(fetch('/clip.mp4/master.m3u8')->{status}, 200, 'the file itself');
is(fetch('/links/link.mp4/master.m3u8')->{status}, 200, 'allowed elsewhere');


=== TEST 6: 422 for what cannot be served, with one line of level error
--- check
for my $row (fixtures('refuse')) {
    my $url = asset($row->{path});
    for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/1.m4s)) {
        my $answer = fetch("$url/$name");
        is($answer->{status}, 422, "$row->{path}: $name");
    }
    my @lines = log_lines(qr/"[^"]*\Q$row->{path}\E" vod: /, 4);
    my @errors = grep { /\[error\]/ } @lines;
    is(@errors, 4, "$row->{path}: one line an answer");
    next if !@errors;
    like($errors[0], qr/vod: .*$row->{note}/i, "$row->{path}: what was found");
    like($errors[0], qr/vod: [^,]+, \S.*, client: /,
         "$row->{path}: and what to change");
}


=== TEST 7: tracks left out are named in one warning each
--- check
for my $row (fixtures('leftout')) {
    my $url = asset($row->{path});
    is(fetch("$url/master.m3u8")->{status}, 200, "$row->{path}: served");
    is(fetch("$url/manifest.mpd")->{status}, 200, "$row->{path}: again");
    my @lines = log_lines(qr/\[warn\].*"[^"]*\Q$row->{path}\E" vod: track/, 1);
    my %tracks = map { /vod: (track \d+) / ? ($1 => 1) : () } @lines;
    cmp_ok(@lines, '>=', 1, "$row->{path}: a line");
    is(@lines, keys %tracks, "$row->{path}: one a track for all requests")
        or diag(@lines);
    for my $line (@lines) {
        like($line, qr/vod: track \d+ \(.*\) left out: \S/,
             "$row->{path}: its form");
        like($line, qr/$row->{note}/i, "$row->{path}: what it is");
    }
}


=== TEST 8: playable files leave no line above notice
--- check
for my $row (fixtures('exact')) {
    my $url = asset($row->{path});
    is(fetch("$url/master.m3u8")->{status}, 200, $row->{path});
}
my @lines = log_lines(qr/\[(?:warn|error|crit|alert|emerg)\]/);
is(@lines, 0, 'the log') or diag(@lines);


=== TEST 9: a damaged file gets better when it is replaced
--- setup
write_file(files_dir() . '/becoming.mp4', 'not yet');
--- check
is(fetch('/becoming.mp4/master.m3u8')->{status}, 422, 'not media');
copy_file(files_dir() . '/clip.mp4', files_dir() . '/becoming.mp4');
is(fetch('/becoming.mp4/master.m3u8')->{status}, 200, 'media');


=== TEST 10: a special file is not opened for reading
--- setup
system('mkfifo', files_dir() . '/pipe.mp4') if ! -p files_dir() . '/pipe.mp4';
--- check
my $answer = fetch('/pipe.mp4/master.m3u8');
like($answer->{status}, qr/^(?:403|404|422)$/, "a pipe: $answer->{status}");
my $name = files_dir() . '/socket.mp4';
unlink $name;
socket(my $socket, Socket::PF_UNIX(), Socket::SOCK_STREAM(), 0) or die $!;
SKIP: {
    skip('the path is too long for a socket', 1) if length($name) > 100;
    bind($socket, Socket::pack_sockaddr_un($name)) or die $!;
    is(fetch('/socket.mp4/master.m3u8')->{status}, 404, 'a socket');
}
is(fetch('/clip.mp4/master.m3u8')->{status}, 200, 'the worker goes on');


=== TEST 11: error_page for each status
--- config
location / {
    vod on;
    error_page 404 /notfound;
    error_page 405 = /method;
    error_page 422 = @unplayable;
    root $TEST_NGINX_FILES;
}
location = /notfound { return 404 "no such thing\n"; }
location = /method { return 200 "method\n"; }
location @unplayable { return 200 "unplayable\n"; }
location /fallback/ {
    vod on;
    error_page 404 = @plain;
    alias $TEST_NGINX_FILES/;
}
location @plain {
    rewrite ^/fallback/(.*)$ /$1 break;
    root $TEST_NGINX_FILES;
}
--- setup
write_file(files_dir() . '/text.mp4', "not media\n");
--- check
is(fetch('/clip.mp4/v1/99.m4s')->{content}, "no such thing\n",
   'a missing segment');
is(fetch('/nosuch.mp4/master.m3u8')->{content}, "no such thing\n",
   'a missing file');
is(fetch('/clip.mp4/x', method => 'DELETE')->{content}, "method\n",
   'a method');
is(fetch('/text.mp4/master.m3u8')->{content}, "unplayable\n",
   'no media');
is(fetch('/fallback/text.mp4')->{content}, "not media\n",
   'the file itself by a fallback');
is(fetch('/fallback/clip.mp4/master.m3u8')->{status}, 200,
   'where nothing is missing the fallback is not taken');


=== TEST 12: subtitles alone are a part of an asset, and nothing by themselves
--- check
for my $name (qw(master.m3u8 manifest.mpd)) {
    my $answer = fetch(asset('film.fr.forced.srt') . "/$name");
    is($answer->{status}, 422, $name);
}
like((log_lines(qr/film\.fr\.forced\.srt" vod: /, 1))[0],
     qr/vod: it holds text alone, put .* beside it while /, 'the reason');
