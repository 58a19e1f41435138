# A file that is cut, written over or never at rest while it is indexed or
# sent: the answer ends, or is that of the new file; the worker goes on; one
# line says what happened.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

# Little room between server and client: most of a body is still to be read
# from the file when its first bytes arrive.

my $server = <<'_EOC_';
server {
    listen 127.0.0.1:$TEST_NGINX_PORT_1 sndbuf=16k;
    vod_segment_duration 60s;
    location / {
        vod on;
        root $TEST_NGINX_FILES;
    }
    location /read/ {
        vod on;
        vod_mmap off;
        alias $TEST_NGINX_FILES/;
    }
    location /sendfile/ {
        vod on;
        sendfile on;
        alias $TEST_NGINX_FILES/;
    }
    location /threads/ {
        vod on;
        sendfile on;
        aio threads;
        alias $TEST_NGINX_FILES/;
    }
}
_EOC_

add_block_preprocessor(sub { $_[0]->set_value('http_config', $server) });

no_shuffle();
run_tests();


# Asks for a segment, has something done when its first bytes are there, and
# takes the rest: how long it is, and how long it was to be.

sub interrupted {
    my ($url, $code) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_PORT_1}, Proto => 'tcp',
        Sockopts => [[Socket::SOL_SOCKET(), Socket::SO_RCVBUF(),
                      pack 'i', 4096]]) or die "connect failed: $!";

    setsockopt $socket, Socket::SOL_SOCKET(), Socket::SO_RCVTIMEO(),
        pack 'l!l!', 60, 0;
    print $socket "GET $url HTTP/1.0\r\n\r\n";
    $socket->flush;

    sysread $socket, my $all, 1000;
    $code->();
    while (sysread $socket, my $some, 65536) {
        $all .= $some;
    }

    my ($head, $body) = split /\r\n\r\n/, $all, 2;
    my ($length) = $head =~ /^Content-Length: (\d+)/mi;

    return (length $body, $length);
}


sub small { return fetch("http://127.0.0.1:$ENV{TEST_NGINX_PORT_1}$_[0]") }


# A copy of a fixture under a name of its own, as new.

sub fresh {
    my ($fixture, $name) = @_;

    copy_file("$VodTest::Fixtures/$fixture", files_dir() . "/$name.new");
    rename files_dir() . "/$name.new", files_dir() . "/$name" or die;

    return files_dir() . "/$name";
}


sub changed_lines {
    return log_lines(qr/\[error\].*vod: file changed while being sent/,
                     $_[0]);
}

__DATA__

=== TEST 1: cut while its samples are gathered, from a mapping and by reads
--- check
my @workers = worker_pids();
my $lines = 0;
for my $prefix ('', '/read') {
    for my $file (qw(long.mp4 interleave-sample.mp4)) {
        my $path = fresh($file, 'cut.mp4');
        my ($have, $length) = interrupted("$prefix/cut.mp4/v1/1.m4s", sub {
            truncate $path, 20000 or die;
        });
        cmp_ok($have, '<', $length, "$prefix/$file: the answer ends");
        is(scalar(changed_lines(++$lines)), $lines,
           "$prefix/$file: one line more");
        is(small('/clip.mp4/v1/1.m4s')->{status}, 200, 'others are served');
    }
}
is("@{[worker_pids()]}", "@workers", 'the same workers');
in_flight(0);


=== TEST 2: cut between the look at the page cache and the copy: SIGBUS
--- check
my @workers = worker_pids();
order('resident');
for my $round (1 .. 3) {
    my $path = fresh('long.mp4', 'bus.mp4');
    my ($have, $length) = interrupted('/bus.mp4/v1/1.m4s', sub {
        truncate $path, 20000 or die;
    });
    cmp_ok($have, '<', $length, 'the answer ends');
    is(scalar(changed_lines($round)), $round, 'one line more');
    is(small('/clip.mp4/v1/1.m4s')->{status}, 200, 'others are served');
}
is("@{[worker_pids()]}", "@workers", 'the same workers');
is(scalar(log_lines(qr/SIGBUS|exited on signal/)), 0, 'no line of it');
in_flight(0);


=== TEST 3: a signal that is no fault of a copy ends the worker, as ever
--- check
SKIP: {
    skip 'a sanitizer has a handler of its own', 2 if $VodTest::Asan;
    my ($worker) = worker_pids();
    small('/clip.mp4/v1/1.m4s');
    kill 'BUS', $worker;
    ok(wait_for(sub {
        my ($now) = worker_pids();
        return $now && $now != $worker;
    }, 20), 'another worker');
    is(small('/clip.mp4/v1/1.m4s')->{status}, 200, 'which serves');
}
--- allow_log: exited\ on\ signal\ 7


=== TEST 4: written over while it is sent
--- check
my $lines = 0;
for my $prefix ('', '/read') {
    my $path = fresh('long.mp4', 'over.mp4');
    my ($have, $length) = interrupted("$prefix/over.mp4/v1/1.m4s", sub {
        open my $out, '+<:raw', $path or die;
        seek $out, 600_000, 0;
        print $out 'other bytes';
        close $out or die;
        utime 1500000000, 1500000000, $path;
    });
    cmp_ok($have, '<', $length, "$prefix the answer ends");
    is(scalar(changed_lines(++$lines)), $lines, "$prefix one line more");
}


=== TEST 5: cut while a long run goes by sendfile
--- check
my @workers = worker_pids();
for my $prefix ('/sendfile', '/threads') {
    my $path = files_dir() . '/run.mp4';
    capture('ffmpeg', '-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i',
            'testsrc2=size=320x180:rate=25:duration=20', '-c:v', 'libx264',
            '-preset', 'ultrafast', '-b:v', '600k', '-threads', '1', $path);
    my ($have, $length) = interrupted("$prefix/run.mp4/v1/1.m4s", sub {
        truncate $path, 20000 or die;
    });
    cmp_ok($length, '>', 500_000, "$prefix much is to be sent");
    cmp_ok($have, '<', $length, "$prefix the answer ends");
    is(small("$prefix/clip.mp4/v1/1.m4s")->{status}, 200,
       'others are served');
}
is(scalar(log_lines(qr/\[alert\].*was truncated at/, 2)), 2,
   'a line of nginx for each');
is("@{[worker_pids()]}", "@workers", 'the same workers');
in_flight(0);
--- allow_log: was\ truncated\ at


=== TEST 6: another file is written in place while it is indexed
--- check
my $path = fresh('vfr.mp4', 'place.mp4');
my $new = slurp("$VodTest::Fixtures/h264-no-b.mp4");
hold('place.mp4');
my @sockets = ask_all(('/place.mp4/v1/1.m4s') x 5);
held('place.mp4');
write_file($path, $new);
copy_file("$VodTest::Fixtures/h264-no-b.mp4", files_dir() . '/same.mp4');
release('place.mp4');
my @answers = read_all(@sockets);
my $wanted = fetch('/same.mp4/v1/1.m4s')->{content};
is(grep({ $_->{content} eq $wanted } @answers), 5,
   'all get the new file');
is(fetch('/place.mp4/v1/1.m4s')->{content} eq $wanted, 1, 'and keep it');
is(scalar(grep { /\[(?:warn|error)\]/ } error_log_lines()), 0, 'no line');


=== TEST 7: cut while it is indexed
--- check
my $path = fresh('moov-last.mp4', 'short.mp4');
hold('short.mp4');
my @sockets = ask_all(('/short.mp4/v1/1.m4s') x 3);
held('short.mp4');
truncate $path, 20000 or die;
release('short.mp4');
is(grep({ $_->{status} == 422 } read_all(@sockets)), 3, 'refused');
my @lines = log_lines(qr/\[error\].*short\.mp4" vod: the file ends inside its mdat box/, 3);
is(@lines, 3, 'with what is to be seen now');
fresh('moov-last.mp4', 'short.mp4');
is(fetch('/short.mp4/v1/1.m4s')->{status}, 200, 'served when it is whole');


=== TEST 8: changed again and again while it is indexed: 503
--- check
fresh('vfr.mp4', 'restless.mp4');
order('touch.restless.mp4');
my $answer = fetch('/restless.mp4/master.m3u8');
is($answer->{status}, 503, 'not now');
like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'Retry-After');
my @lines = log_lines(qr/\[error\].*"[^"]*restless\.mp4" vod: the file keeps changing, /, 1);
is(@lines, 1, 'one line');
is(status_page()->{shed}, 1, 'the counter');
is(status_page()->{errors}{changed}, 1, 'and its code');
is(status_page()->{index}{builds}, 2, 'it was tried twice');
cancel('touch.restless.mp4');
is(fetch('/restless.mp4/master.m3u8')->{status}, 200,
   'served when it is at rest');
