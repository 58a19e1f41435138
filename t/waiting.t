# Requests that wait for a build: who waits, who builds, what happens when
# clients leave, processes end, disks fail or there are too many.  Reads of the
# media file are held until all is as it is to be.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

$Test::Nginx::Util::ReusePort = 1;

no_shuffle();
run_tests();


# The workers that are not among those given, when there are so many.

sub new_workers {
    my ($wanted, @old) = @_;
    my %old = map { $_ => 1 } @old;
    my @new;

    ok(wait_for(sub {
        @new = grep { !$old{$_} } worker_pids();
        return @new == $wanted;
    }, 30), "$wanted new workers");

    return @new;
}


sub gone {
    my ($pid, $name) = @_;

    ok(wait_for(sub { !VodTest::alive($pid) }, 60), $name);
}

__DATA__

=== TEST 1: one builds, the others wait
--- workers: 2
--- check
hold('clip.mp4');
my @sockets = ask_all(('/clip.mp4/master.m3u8') x 20);
is(scalar(held('clip.mp4')), 1, 'one process reads the file');
waiting(19);
in_flight(20);
is(status_page()->{index}{builds}, 0, 'nothing is built yet');
release('clip.mp4');
my @answers = read_all(@sockets);
is(grep({ $_->{status} == 200 } @answers), 20, 'all are served');
my %bodies = map { $_->{content} => 1 } @answers;
is(scalar(keys %bodies), 1, 'with the same');
in_flight(0);
my $index = status_page()->{index};
is($index->{builds}, 1, 'one build');
is($index->{misses}, 20, 'all of them missed');
is($index->{waits}, 19, 'all but one waited');
is($index->{hits}, 0, 'nobody found it there');
is($index->{uncached}, 0, 'it is in the zone');


=== TEST 2: those who wait are told why it cannot be served
--- workers: 2
--- check
hold('mpeg2.mp4');
my @sockets = ask_all(('/fixtures/mpeg2.mp4/master.m3u8') x 20);
waiting(19);
release('mpeg2.mp4');
my @answers = read_all(@sockets);
is(grep({ $_->{status} == 422 } @answers), 20, 'all are refused');
my $index = status_page()->{index};
is($index->{builds}, 1, 'one build');
is($index->{failures}, 1, 'one failure');
is(scalar(log_lines(qr/\[error\].*mpeg2\.mp4" vod: /, 20)), 20,
   'a line for each');


=== TEST 3: all clients leave while they wait
--- workers: 2
--- check
hold('clip.mp4');
my @sockets = ask_all(('/clip.mp4/v1/1.m4s') x 20);
held('clip.mp4');
waiting(19);
close $_ for @sockets;
waiting(0, 'nobody waits, though the build goes on');
in_flight(1, 'the one who builds is kept');
is(status_page()->{index}{builds}, 0, 'which is not done');
release('clip.mp4');
in_flight(0);
is(status_page()->{index}{builds}, 1, 'the build has come to its end');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'served afterwards');
is(status_page()->{index}{builds}, 1, 'from that build');


=== TEST 4: the client whose request builds leaves
--- workers: 2
--- check
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
held('clip.mp4');
my @others = ask_all(('/clip.mp4/v1/1.m4s') x 10);
waiting(10);
close $first;
release('clip.mp4');
my @answers = read_all(@others);
is(grep({ $_->{status} == 200 } @answers), 10, 'the others are served');
in_flight(0);
is(status_page()->{index}{builds}, 1, 'from its build');
is(status_page()->{index}{waits}, 10, 'for which they waited');


=== TEST 5: a new file is asked for in many ways at once
--- workers: 2
--- check
hold('clip.mp4');
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 a1/index.m3u8
               v1/init.mp4 a1/init.mp4 v1/1.m4s a1/2.m4s v1/99.m4s v7/1.m4s);
my @requests = map { ("GET /clip.mp4/$_", "HEAD /clip.mp4/$_") } @names;
my @sockets = ask_all(@requests);
waiting(@requests - 1);
release('clip.mp4');
my @answers = read_all(@sockets);
for my $n (0 .. $#names) {
    my ($get, $head) = @answers[2 * $n, 2 * $n + 1];
    my $wanted = $names[$n] =~ /99|v7/ ? 404 : 200;
    is("$get->{status} $head->{status}", "$wanted $wanted", $names[$n]);
    is($head->{content}, '', "$names[$n]: HEAD has no body");
    next if $wanted == 404;
    ok($get->{content} eq fetch("/clip.mp4/$names[$n]")->{content},
       "$names[$n]: its bytes");
}


=== TEST 6: the worker that builds is killed: another one takes over
--- workers: 2
--- check
hold('clip.mp4');
my @old = worker_pids();
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
my ($pid) = held('clip.mp4');
my @others = ask_all(('/clip.mp4/v1/1.m4s') x 40);
waiting(40);
kill 'KILL', $pid;
new_workers(1, @old);
my @pids = held('clip.mp4', 2);
ok($pids[1] != $pid && grep({ $_ == $pids[1] } @old),
   'the other one builds now');
release('clip.mp4');
my @answers = read_all(@others);
my $served = grep { $_->{status} == 200 } @answers;
my $lost = grep { $_->{status} == 0 } @answers;
is($served + $lost, 40, 'its own clients are served, the others lost');
cmp_ok($served, '>', 0, 'there are some');
in_flight(0);
waiting(0);
is(status_page()->{index}{builds}, 1, 'one build came to its end');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'served afterwards')
    for 1 .. 4;
is(status_page()->{index}{builds}, 1, 'from that build');
--- allow_log: exited\ on\ signal\ 9|\[alert\].*worker\ process


=== TEST 7: a worker is killed while it changes the zone
--- workers: 2
--- check
fetch('/fixtures/vfr.mp4/master.m3u8');
my @old = worker_pids();
my $before = status_page();
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
my ($builder) = held('clip.mp4');
# of that one only: the builder, too, looks at who has requests that wait
hold("kill.$builder");
my @others = ask_all(('/clip.mp4/v1/1.m4s') x 40);
my ($pid) = held("kill.$builder");
isnt($pid, $builder, 'the other worker looks whether the builder lives');
kill 'KILL', $pid;
gone($pid, 'it ends with the lock in its hand');
release("kill.$builder");
new_workers(1, @old);
release('clip.mp4');
my @answers = read_all($first, @others);
is($answers[0]{status}, 200, 'the builder serves its own client');
is(grep({ $_->{status} != 200 && $_->{status} != 0 } @answers), 0,
   'and others, but for those of the killed one');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'served afterwards')
    for 1 .. 4;
is(fetch('/fixtures/vfr.mp4/master.m3u8')->{status}, 200,
   'what was in the zone is built again');
my $after = status_page();
cmp_ok($after->{index}{builds}, '>', $before->{index}{builds},
       'counters go on');
is(scalar(log_lines(qr/\[warn\].*zone "[^"]+" starts empty: a process died/,
                    1)), 1, 'one line says so');
--- allow_log: exited\ on\ signal\ 9|\[alert\].*(?:worker\ process|shared\ memory)


=== TEST 8: reload with a build in flight
--- workers: 2
--- check
hold('clip.mp4');
my @old = worker_pids();
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
my ($pid) = held('clip.mp4');
kill 'HUP', nginx_pid();
new_workers(2, @old);
my @later = ask_all(('/clip.mp4/v1/1.m4s') x 5);
waiting(5, 'requests to the new workers wait for the old one');
ok(VodTest::alive($pid), 'which goes on');
release('clip.mp4');
my @answers = read_all($first, @later);
is(grep({ $_->{status} == 200 } @answers), 6, 'all are served');
gone($_, 'an old worker ends') for @old;
is(status_page()->{index}{builds}, 1, 'one build');
waiting(0);
in_flight(0);


=== TEST 9: a graceful end with a build in flight
--- check
hold('clip.mp4');
my $master = nginx_pid();
my @sockets = ask_all(('/clip.mp4/v1/1.m4s') x 5);
waiting(4);
kill 'QUIT', $master;
ok(wait_for(sub { !IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) }, 20),
   'no new connections');
release('clip.mp4');
is(grep({ $_->{status} == 200 } read_all(@sockets)), 5, 'all are served');
gone($master, 'then it ends');


=== TEST 10: a quick end with a build in flight
--- check
hold('clip.mp4');
my $master = nginx_pid();
my @sockets = ask_all(('/clip.mp4/v1/1.m4s') x 5);
waiting(4);
kill 'TERM', $master;
release('clip.mp4');
read_all(@sockets);
gone($master, 'it ends');


=== TEST 11: a queue that is full: 503
--- main_config
thread_pool media threads=1 max_queue=1;
--- config
location / {
    vod on;
    aio threads=media;
    root $TEST_NGINX_FILES;
}
location /page/ {
    vod on;
    aio threads=media;
    alias $TEST_NGINX_FILES/;
    error_page 503 = @busy;
}
location @busy { return 200 "busy\n"; }
location = /status { vod_status; }
--- setup
for my $name (qw(running queued shed)) {
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/$name.mp4");
}
--- check
hold('running.mp4');
my ($running) = ask_all('/running.mp4/master.m3u8');
held('running.mp4');
my ($queued) = ask_all('/queued.mp4/master.m3u8');
in_flight(2);
my ($waiting) = ask_all('/running.mp4/v1/1.m4s');
waiting(1, 'who waits needs no place in the queue');

for my $name (qw(shed.mp4/master.m3u8 shed.mp4/v1/1.m4s)) {
    my $answer = fetch("/$name");
    is($answer->{status}, 503, "$name: no place");
    like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'Retry-After');
}
is(fetch('/page/shed.mp4/master.m3u8')->{content}, "busy\n", 'error_page');
is(status_page()->{shed}, 3, 'the counter');
my @lines = log_lines(qr/thread pool "\w+" queue overflow/, 3);
is(@lines, 3, 'a line of nginx for each');
is(grep({ !/\[error\].*thread pool "media"/ } @lines), 0,
   'which names the pool of "aio threads="');

release('running.mp4');
is(grep({ $_->{status} == 200 } read_all($running, $queued, $waiting)), 3,
   'the others are served');
is(fetch('/shed.mp4/master.m3u8')->{status}, 200, 'and now this one');
is(status_page()->{shed}, 3, 'the counter stays');
in_flight(0);


=== TEST 12: a queue that is full: who has an index is not sent away
--- main_config
thread_pool media threads=1 max_queue=1;
--- config
location / {
    vod on;
    aio threads=media;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
for my $name (qw(running queued known)) {
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/$name.mp4");
}
--- check
is(fetch('/known.mp4/v1/1.m4s')->{status}, 200, 'a file that is known');
hold('running.mp4');
my ($running) = ask_all('/running.mp4/v1/1.m4s');
held('running.mp4');
my ($queued) = ask_all('/queued.mp4/v1/1.m4s');
in_flight(2);
my ($known) = ask_all('/known.mp4/master.m3u8');
cmp_ok(scalar(log_lines(qr/thread pool "media" queue overflow/, 1)), '>', 0,
       'no place to see what stands beside it');
release('running.mp4');
is(grep({ $_->{status} == 200 } read_all($running, $queued, $known)), 3,
   'all are served');
is(status_page()->{shed}, 0, 'nobody was sent away');
in_flight(0);


=== TEST 13: more requests wait than may: 503
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
location = /status { vod_status; }
--- setup
mkdir files_dir() . '/page';
write_file(files_dir() . '/page/many', join '', map {
    "[<!--#include virtual=\"/clip.mp4/master.m3u8?$_\"-->]"
} 1 .. 128);
--- check
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/master.m3u8');
held('clip.mp4');
my @pages = ask_all(('/page/many') x 32);
waiting(4096);
my $answer = fetch('/clip.mp4/master.m3u8');
is($answer->{status}, 503, 'one more is sent away');
like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'Retry-After');
is(status_page()->{shed}, 1, 'the counter');
is(scalar(log_lines(qr/\[error\].*"[^"]*clip\.mp4" vod: 4096 requests are waiting for an index already \(vod_max_waiting\)/, 1)),
   1, 'a line says why');
release('clip.mp4');
my @answers = read_all($first, @pages);
my $master = fetch('/clip.mp4/master.m3u8')->{content};
ok($answers[0]{content} eq $master, 'the first is served');
is(grep({ $_->{content} eq "[$master]" x 128 } @answers[1 .. 32]), 32,
   'all others too');
is(status_page()->{index}{builds}, 1, 'one build');


=== TEST 14: a build that takes more than a minute is taken over
--- check
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
held('clip.mp4');
order('clock', 61);
in_flight(1, 'time goes by');
my @lines = log_lines(qr/\[alert\].*vod thread task takes too long/, 1);
is(@lines, 1, 'one line says so');
my ($second) = ask_all('/clip.mp4/v1/1.m4s');
ok(wait_for(sub {
    my $text = slurp("$VodTest::Scratch/held/held.clip.mp4");
    return 2 == (() = $text =~ /\n/g);
}, 20), 'another request builds');
release('clip.mp4');
my @answers = read_all($first, $second);
is($answers[0]{status}, 503, 'the first has taken too long');
is(scalar(log_lines(qr/\[error\].*clip\.mp4" vod: indexing took longer than 30000 ms \(vod_index_timeout\)/, 1)),
   1, 'which is its reason');
is($answers[1]{status}, 200, 'the other is served');
is(status_page()->{index}{builds}, 2, 'two builds');
is(fetch('/clip.mp4/v1/1.m4s')->{status}, 200, 'served afterwards');
is(status_page()->{index}{builds}, 2, 'from one of them');
waiting(0);
in_flight(0);
--- allow_log: vod\ thread\ task\ takes\ too\ long
