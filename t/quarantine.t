# Files that end workers: refused for a time, so that one bad file does not
# take a worker with it for each request.  What is no fault of a file is not
# held against it.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

$Test::Nginx::Util::ReusePort = 1;

# the signal is to end the worker, as it does without a sanitizer

if ($VodTest::Asan) {
    $ENV{ASAN_OPTIONS} .= ',' . join ',',
        map { "handle_$_=0" } qw(segv sigbus sigfpe sigill abort);
}

our $age = 1_500_000_000;

no_shuffle();
run_tests();


# A file of this name that has not been asked for, by which nothing is known.

sub media {
    my ($name, $from) = @_;
    my $file = files_dir() . "/$name";

    $from //= $name =~ /\.ts$/ ? 'mpegts.ts' : 'long.mp4';
    unlink $file;
    copy_file("$VodTest::Fixtures/$from", $file);
    $age++;
    utime $age, $age, $file;
}


# As many workers as there are to be, none of those given.

sub others_than {
    my ($wanted, @old) = @_;
    my %old = map { $_ => 1 } @old;

    ok(wait_for(sub {
        my @now = worker_pids();
        return @now == $wanted && !grep { $old{$_} } @now;
    }, 30), 'another worker takes the place');
}


# 0 where the connection ends without an answer; asked once, whatever happens.

sub status { return (request_all($_[0]))[0]{status} }


# The worker that has the file in hand is killed; the request is lost.

sub kill_with {
    my ($url, $signal) = @_;
    my ($name) = $url =~ m{([^/]+\.(?:mp4|ts))/};
    my @workers = worker_pids();

    hold($name);
    my ($socket) = ask_all($url);
    my ($pid) = held($name);
    kill $signal, $pid;
    others_than(scalar @workers, $pid);
    release($name);
    close $socket;
}


sub quarantined {
    is(status_page()->{quarantined}, $_[0], "$_[0] files in quarantine");
}

__DATA__

=== TEST 1: a file that ends a worker while it is indexed
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location /off/ {
    vod on;
    vod_quarantine 0;
    alias $TEST_NGINX_FILES/;
}
location = /status { vod_status; }
--- setup
media('bad.mp4');
--- check
quarantined(0);
my @old = worker_pids();
order('crash.bad.mp4', 11);
is(status('/bad.mp4/master.m3u8'), 0, 'the request is lost');
others_than(1, @old);
@old = worker_pids();
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4
                 v1/1.m4s))
{
    is(status("/bad.mp4/$name"), 422, "$name: refused");
}
my @lines = log_lines(qr/\[error\].*"[^"]*\/bad\.mp4" vod: a worker process ended on signal 11 while this file was indexed, it is refused for \d+ more seconds \(vod_quarantine\), /, 5);
is(@lines, 5, 'a line for each');
is(status_page()->{errors}{quarantined}, 5, 'and its code');
is("@{[worker_pids()]}", "@old", 'and no other worker ends');
quarantined(1);
is(status('/clip.mp4/v1/1.m4s'), 200, 'another file is served');

cancel('crash.bad.mp4');
is(status('/bad.mp4/master.m3u8'), 422, 'still refused');
is(status('/off/bad.mp4/master.m3u8'), 200, 'but not where it is off');
is(status('/bad.mp4/master.m3u8'), 422, 'with an index, too');
order('clock', 299);
is(status('/bad.mp4/master.m3u8'), 422, 'for five minutes');
order('clock', 302);
is(status('/bad.mp4/master.m3u8'), 200, 'then no longer');
quarantined(0);
--- allow_log: exited\ on\ signal\ 11


=== TEST 2: one that is replaced is another file
--- setup
media('new.mp4');
--- check
my @old = worker_pids();
order('crash.new.mp4', 11);
is(status('/new.mp4/master.m3u8'), 0, 'the request is lost');
others_than(1, @old);
cancel('crash.new.mp4');
is(status('/new.mp4/master.m3u8'), 422, 'refused');
media('new.mp4');
is(status('/new.mp4/master.m3u8'), 200, 'served at once');
quarantined(1);
--- allow_log: exited\ on\ signal\ 11


=== TEST 3: those who wait for it in other workers
--- workers: 2
--- setup
media('wait.mp4');
--- check
my @old = worker_pids();
hold('wait.mp4');
my ($first) = ask_all('/wait.mp4/v1/1.m4s');
my ($pid) = held('wait.mp4');
my @others = ask_all(('/wait.mp4/v1/1.m4s') x 40);
waiting(40);
order('crash.wait.mp4', 11);
release('wait.mp4');
my @answers = read_all($first, @others);
is($answers[0]{status}, 0, 'who began it is lost');
my $refused = grep { $_->{status} == 422 } @answers;
my $lost = grep { $_->{status} == 0 } @answers;
is($refused + $lost, 41, 'of the others, those of the same worker');
cmp_ok($refused, '>', 0, 'the rest is told');
others_than(2, $pid);
is(scalar(grep { $_ != $pid } grep { VodTest::alive($_) } @old), 1,
   'the other worker goes on');
is(status('/wait.mp4/v1/1.m4s'), 422, 'refused by all') for 1 .. 4;
is(scalar(log_lines(qr/exited on signal 11/, 1)), 1, 'one has ended');
waiting(0);
in_flight(0);
--- allow_log: exited\ on\ signal\ 11


=== TEST 4: whatever the signal
--- workers: 2
--- check
for my $signo (4, 6, 7, 8, 11) {
    my $name = "signal$signo.mp4";
    my @old = worker_pids();
    media($name);
    order("crash.$name", $signo);
    is(status("/$name/master.m3u8"), 0, 'the request is lost');
    ok(wait_for(sub { log_lines(qr/exited on signal $signo\b/) }, 30),
       "by signal $signo");
    is(status("/$name/master.m3u8"), 422, 'refused') for 1 .. 4;
    is(scalar(log_lines(qr/$name" vod: a worker process ended on signal $signo while/, 4)),
       4, 'which is named');
    wait_for(sub { @{[worker_pids()]} == 2 }, 30);
}
quarantined(5);
--- allow_log: exited\ on\ signal


=== TEST 5: a segment that ends a worker
--- workers: 2
--- setup
media('bad.ts');
--- check
is(status('/bad.ts/master.m3u8'), 200, 'its index is made');
is(status('/bad.ts/a1/1.m4s'), 200, 'and a segment');
order('crash.bad.ts', 11);
is(status('/bad.ts/v1/1.m4s'), 0, 'the next is lost');
ok(wait_for(sub { @{[worker_pids()]} == 2 }, 30), 'another worker');
my @old = worker_pids();
is(status("/bad.ts/$_"), 422, "$_: refused")
    for qw(v1/1.m4s v1/2.m4s a1/1.m4s master.m3u8) x 2;
is(scalar(log_lines(qr/bad\.ts" vod: a worker process ended on signal 11 while a segment was made from this file, it is/, 8)),
   8, 'a line for each');
is("@{[worker_pids()]}", "@old", 'and no other worker ends');
quarantined(1);
order('clock', 302);
cancel('crash.bad.ts');
is(status('/bad.ts/v1/1.m4s'), 200, 'served when the time is over');
quarantined(0);
--- allow_log: exited\ on\ signal\ 11


=== TEST 6: who is killed is not the file's fault; killed again, it may be
--- workers: 2
--- setup
media('killed.mp4');
media('twice.mp4');
--- check
kill_with('/killed.mp4/master.m3u8', 'KILL');
quarantined(0);
is(status('/killed.mp4/master.m3u8'), 200, 'tried once more');

kill_with('/twice.mp4/master.m3u8', 'KILL');
kill_with('/twice.mp4/master.m3u8', 'KILL');
is(status('/twice.mp4/master.m3u8'), 422, 'but not a third time');
is(scalar(log_lines(qr/twice\.mp4" vod: 2 worker processes ended while this file was indexed, it is refused/, 1)),
   1, 'a line says so');
quarantined(1);
--- allow_log: exited\ on\ signal\ 9


=== TEST 7: the second time, too late for vod_quarantine
--- http_config
vod_quarantine 10s;
--- setup
media('later.mp4');
--- check
kill_with('/later.mp4/master.m3u8', 'KILL');
order('clock', 11);
kill_with('/later.mp4/master.m3u8', 'KILL');
is(status('/later.mp4/master.m3u8'), 200, 'tried once more');
quarantined(0);
--- allow_log: exited\ on\ signal\ 9


=== TEST 8: a segment: what has been made since then is not suspected
--- http_config
vod_segment_memory 1;
--- setup
media('good.ts');
--- check
is(status('/good.ts/master.m3u8'), 200, 'its index is made');
for my $round (1 .. 3) {
    kill_with('/good.ts/v1/1.m4s', 'KILL');
    is(status('/good.ts/v1/1.m4s'), 200, 'made by the next worker');
}
quarantined(0);
kill_with('/good.ts/v1/1.m4s', 'KILL');
kill_with('/good.ts/v1/2.m4s', 'KILL');
is(status('/good.ts/a1/1.m4s'), 200, 'not by two segments');
quarantined(0);
kill_with('/good.ts/v1/1.m4s', 'KILL');
is(status('/good.ts/a1/1.m4s'), 422, 'by one of them twice');
quarantined(1);
--- allow_log: exited\ on\ signal\ 9


=== TEST 9: workers that are killed together are one death
--- workers: 2
--- setup
media('all.ts');
--- check
is(status('/all.ts/master.m3u8'), 200, 'its index is made');
my @old = worker_pids();
hold('all.ts');
my @sockets = ask_all(('/all.ts/v1/1.m4s') x 40);
held('all.ts', 2);
kill 'KILL', @old;
others_than(2, @old);
release('all.ts');
read_all(@sockets);
is(status('/all.ts/v1/1.m4s'), 200, 'tried once more') for 1 .. 4;
quarantined(0);
--- allow_log: exited\ on\ signal\ 9


=== TEST 10: another file in the hand of the same worker
--- setup
media($_) for qw(guilty.mp4 beside.mp4);
--- check
my @old = worker_pids();
hold('beside.mp4');
my ($beside) = ask_all('/beside.mp4/master.m3u8');
held('beside.mp4');
order('crash.guilty.mp4', 11);
is(status('/guilty.mp4/master.m3u8'), 0, 'one of two ends the worker');
others_than(1, @old);
release('beside.mp4');
quarantined(1);
kill_with('/beside.mp4/master.m3u8', 'KILL');
is(status('/beside.mp4/master.m3u8'), 200, 'the other is not suspected');
is(status('/guilty.mp4/master.m3u8'), 422, 'as this one is');
--- allow_log: exited\ on\ signal


=== TEST 11: a worker that is told to end
--- workers: 2
--- check
for my $url ('/told.mp4/master.m3u8', '/told.ts/v1/1.m4s') {
    my ($name) = $url =~ m{^/([^/]+)};
    for my $signal (qw(TERM QUIT TERM)) {
        media($name);
        status("/$name/master.m3u8") if $name =~ /ts$/;
        hold($name);
        my ($socket) = ask_all($url);
        my ($pid) = held($name);
        kill $signal, $pid;
        release($name);
        others_than(2, $pid);
        read_all($socket);
    }
    is(status($url), 200, "$name is served");
}
quarantined(0);


=== TEST 12: by a signal from outside
--- setup
media('sent.mp4');
--- check
kill_with('/sent.mp4/master.m3u8', 'SEGV');
quarantined(0);
is(status('/sent.mp4/master.m3u8'), 200, 'tried once more');
--- allow_log: exited\ on\ signal\ 11


=== TEST 13: reload, and a zone that starts empty, change nothing
--- workers: 2
--- setup
media('kept.mp4');
--- check
order('crash.kept.mp4', 11);
is(status('/kept.mp4/master.m3u8'), 0, 'the request is lost');
ok(wait_for(sub { @{[worker_pids()]} == 2 }, 30), 'another worker');
cancel('crash.kept.mp4');
is(status('/kept.mp4/master.m3u8'), 422, 'refused');

my @old = worker_pids();
kill 'HUP', nginx_pid();
others_than(2, @old);
is(status('/kept.mp4/master.m3u8'), 422, 'after a reload, too');
quarantined(1);

@old = worker_pids();
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/v1/1.m4s');
my ($builder) = held('clip.mp4');
hold("kill.$builder");
my @sockets = ask_all(('/clip.mp4/v1/1.m4s') x 40);
my ($pid) = held("kill.$builder");
kill 'KILL', $pid;
wait_for(sub { !VodTest::alive($pid) }, 30);
release("kill.$builder");
release('clip.mp4');
read_all($first, @sockets);
others_than(2, $pid);
is(scalar(log_lines(qr/\[warn\].*starts empty: a process died/, 1)), 1,
   'one died while it held the lock');
is(status('/kept.mp4/master.m3u8'), 422, 'still refused') for 1 .. 4;
quarantined(1);
is(status('/clip.mp4/v1/1.m4s'), 200, 'others are served');
--- allow_log: exited\ on\ signal|\[alert\].*(?:worker\ process|shared\ memory)


=== TEST 14: the table is full: files are served without
--- http_config
vod_zone 4m;
--- main_config
thread_pool default threads=80;
--- setup
media("full$_.ts") for 1 .. 80;
--- check
my @names = map { "full$_.ts" } 1 .. 80;
is(grep({ status("/$_/master.m3u8") == 200 } @names), 80, 'indexes');
hold($_) for @names;
my @sockets = ask_all(map { "/$_/v1/1.m4s" } @names);
held($_) for @names;
release($_) for @names;
is(grep({ $_->{status} == 200 } read_all(@sockets)), 80, 'all at once');
quarantined(0);
