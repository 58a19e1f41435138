# Processes that come and go while clients are served: reload, upgrade of the
# binary, workers that are killed.  MP4 files, and files whose segments are
# made.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

use POSIX ();

our @Kinds = qw(mp4 ts mkv);
our %From = (mp4 => 'long.mp4', ts => 'mpegts.ts', mkv => 'matroska.mkv');
our $age = 1_500_000_000;

no_shuffle();
run_tests();



# Files of each kind that have not been asked for.

sub media {
    my (@names) = @_;

    for my $name (@names) {
        my ($kind) = $name =~ /\.(\w+)$/;
        my $file = files_dir() . "/$name";
        unlink $file;
        copy_file("$VodTest::Fixtures/$From{$kind}", $file);
        $age++;
        utime $age, $age, $file;
    }
}


# What is asked for of an asset, and the sum of each body as vodtool has it.

sub bodies {
    my (@assets) = @_;
    my %sum;

    for my $asset (@assets) {
        my $file = files_dir() . $asset;
        for my $track (qw(v1 a1)) {
            for my $what (['init', "$track"], ['segment', $track, 1]) {
                my ($command, @args) = @$what;
                my ($out) = vodtool('-d', 1, $command, $file, @args);
                my $name = $command eq 'init' ? 'init.mp4' : '1.m4s';
                $sum{"$asset/$track/$name"} = sha($out);
            }
        }
    }

    return %sum;
}


# One request, and what is wrong with its answer.

sub ask {
    my ($url, $sum) = @_;

    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $ENV{TEST_NGINX_SERVER_PORT}, Proto => 'tcp')
        or return "connect: $!";
    local $SIG{PIPE} = 'IGNORE';
    print $socket "GET $url HTTP/1.0\r\nHost: localhost\r\n\r\n";
    $socket->flush;

    my ($answer) = read_all($socket);

    return 'lost' if $answer->{status} == 0;
    return "status $answer->{status}" if $answer->{status} != 200;

    # its header has come, and not all of its body

    my ($length) = $answer->{head} =~ /^Content-Length: (\d+)/mi;
    return 'lost' if length $answer->{content} < $length;

    return sha($answer->{content}) eq $sum ? undef : 'other bytes';
}


# Clients that ask for all that %$sum has, again and again, while the code
# runs: what went wrong, and how many answers were right.

sub under_load {
    my ($clients, $sum, $code) = @_;
    my $folder = "$VodTest::Scratch/load";
    my @urls = sort keys %$sum;
    my @pids;

    mkdir $folder;
    unlink glob "$folder/*";

    for my $client (1 .. $clients) {
        my $pid = fork() // die;
        push @pids, $pid;
        next if $pid;

        $Test::Nginx::Util::InSubprocess = 1;
        my ($good, @bad) = (0);
        for (my $n = $client; ! -f "$folder/stop"; $n++) {
            my $url = $urls[$n % @urls];
            my $wrong = ask($url, $sum->{$url});
            $wrong ? push @bad, "$url: $wrong" : $good++;
            write_file("$folder/begun.$client", '') if $n == $client;
        }
        write_file("$folder/said.$client", join "\n", $good, @bad);
        POSIX::_exit(0);
    }

    wait_for(sub { $clients == (() = glob "$folder/begun.*") }, 60);
    my $done = eval { $code->(); 1 };
    my $why = $@;
    write_file("$folder/stop", '');
    waitpid $_, 0 for @pids;
    die $why if !$done;

    my ($good, @bad) = (0);
    for my $file (glob "$folder/said.*") {
        my ($n, @lines) = split /\n/, slurp($file);
        $good += $n;
        push @bad, @lines;
    }

    cmp_ok($good, '>', $clients, "$good answers are right");

    return @bad;
}


sub new_workers {
    my ($wanted, @old) = @_;
    my %old = map { $_ => 1 } @old;

    ok(wait_for(sub {
        my @now = grep { !$old{$_} } worker_pids();
        return @now == $wanted;
    }, 30), "$wanted new workers");
}


sub gone {
    my (@pids) = @_;

    ok(wait_for(sub { !grep { VodTest::alive($_) } @pids }, 60),
       'the old ones end');
}

__DATA__

=== TEST 1: reload under load: no request fails
--- workers: 2
--- setup
media(map { "reload.$_" } @main::Kinds);
--- check
my %sum = bodies(map { "/reload.$_" } @main::Kinds);
my @bad = under_load(4, \%sum, sub {
    for my $round (1 .. 4) {
        my @old = worker_pids();
        media("cold$round.ts", "cold$round.mp4");
        my @cold = ask_all("/cold$round.ts/v1/1.m4s",
                           "/cold$round.mp4/v1/1.m4s");
        kill 'HUP', nginx_pid();
        new_workers(2, @old);
        is(grep({ $_->{status} == 200 } read_all(@cold)), 2,
           'what was begun is served');
        gone(@old);
    }
});
is(scalar @bad, 0, 'nothing else was seen') or diag(join "\n", @bad);
in_flight(0);


=== TEST 2: upgrade of the binary under load: no request fails
--- workers: 2
--- main_config
env LD_PRELOAD;
env ASAN_OPTIONS;
env UBSAN_OPTIONS;
--- setup
media(map({ "upgrade.$_" } @main::Kinds), 'held.mp4', 'held.ts');
--- check
my %sum = bodies(map { "/upgrade.$_" } @main::Kinds);
my @bad = under_load(4, \%sum, sub {
    for my $round (1 .. 2) {
        my $old = nginx_pid();
        my @old = worker_pids();
        my $name = $round == 1 ? 'held.mp4' : 'held.ts';
        hold($name);
        my ($cold) = ask_all("/$name/v1/1.m4s");
        held($name) if $round == 1;
        kill 'USR2', $old;
        ok(wait_for(sub {
            my $new = nginx_pid();
            return defined $new && $new != $old && worker_pids() == 2;
        }, 60), 'the new binary runs beside the old one');
        kill 'WINCH', $old;
        new_workers(2, @old);
        release($name);
        gone(@old);
        kill 'QUIT', $old;
        gone($old);
        is((read_all($cold))[0]{status}, 200, 'served by either');
    }
});
is(scalar @bad, 0, 'nothing else was seen') or diag(join "\n", @bad);
in_flight(0);
is(status_page()->{waiting}, 0, 'nobody waits');


=== TEST 3: segments being made outlive a reload
--- workers: 2
--- setup
media('made.ts');
--- check
my $url = '/made.ts/v1/1.m4s';
my %sum = bodies('/made.ts');
fetch('/made.ts/master.m3u8');
hold('made.ts');
my @old = worker_pids();
my @sockets = ask_all(($url) x 5);
held('made.ts');
kill 'HUP', nginx_pid();
new_workers(2, @old);
my @later = ask_all(($url) x 5);
release('made.ts');
is(grep({ sha($_->{content}) eq $sum{$url} } read_all(@sockets, @later)), 10,
   'all are served');
gone(@old);
in_flight(0);


=== TEST 4: workers killed under load: who else asks is served
--- workers: 3
--- http_config
vod_quarantine 0;
--- setup
media(map { "killed.$_" } @main::Kinds);
--- check
my %sum = bodies(map { "/killed.$_" } @main::Kinds);
my $kills = 0;
my @bad = under_load(6, \%sum, sub {
    for my $round (1 .. 5) {
        my @old = worker_pids();
        my $pid = $old[$round % @old];
        kill 'KILL', $pid and $kills++;
        new_workers(1, @old);
    }
});
my @lost = grep { /: lost$/ } @bad;
is(scalar @bad, scalar @lost, 'nobody is answered wrongly')
    or diag(join "\n", @bad);
cmp_ok(scalar @lost, '<=', 6 * $kills,
       'a client loses one request at most by each');
for my $url (sort keys %sum) {
    is(ask($url, $sum{$url}), undef, "$url afterwards") for 1 .. 3;
}
in_flight(0);
is(status_page()->{waiting}, 0, 'nobody waits');
--- allow_log: exited\ on\ signal\ 9|\[alert\].*(?:worker\ process|shared\ memory)


=== TEST 5: killed again and again under load: no file is held for it
--- workers: 2
--- setup
media(map { "spared.$_" } @main::Kinds);
--- check
my %sum = bodies(map { "/spared.$_" } @main::Kinds);
my @bad = under_load(4, \%sum, sub {
    for my $round (1 .. 5) {
        my @old = worker_pids();
        kill 'KILL', $old[0];
        new_workers(1, @old);
        my ($url) = (sort keys %sum)[$round];
        is(ask($url, $sum{$url}), undef, "$url in between");
    }
});
my @other = grep { !/: lost$/ } @bad;
is(scalar @other, 0, 'nobody is answered wrongly') or diag(join "\n", @other);
is(status_page()->{quarantined}, 0, 'no file is in quarantine');
--- allow_log: exited\ on\ signal\ 9|\[alert\].*(?:worker\ process|shared\ memory)


=== TEST 6: killed with the zone's lock held while segments are made
--- workers: 2
--- http_config
vod_segment_memory 1;
--- config
listen 127.0.0.1:$TEST_NGINX_PORT_1 reuseport;
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- setup
media('lock.ts');
--- check
local $ENV{TEST_NGINX_SERVER_PORT} = $ENV{TEST_NGINX_PORT_1};
fetch('/lock.ts/master.m3u8');
my %sum = bodies('/lock.ts');
my @old = worker_pids();
hold('lock.ts');
my ($first) = ask_all('/lock.ts/v1/1.m4s');
my ($maker) = held('lock.ts');
hold("kill.$maker");
my @others = ask_all(('/lock.ts/a1/1.m4s') x 40);
my ($pid) = held("kill.$maker");
isnt($pid, $maker, 'the other worker looks whether the first one lives');
kill 'KILL', $pid;
wait_for(sub { !VodTest::alive($pid) }, 30);
release("kill.$maker");
new_workers(1, @old);
release('lock.ts');
my @answers = read_all($first, @others);
ok(sha($answers[0]{content}) eq $sum{'/lock.ts/v1/1.m4s'},
   'the first one serves its client');
is(grep({ $_->{status} != 200 && $_->{status} != 0 && $_->{status} != 503 }
        @answers), 0, 'others are lost, or sent away, with the killed one');
is(scalar(log_lines(qr/\[warn\].*starts empty: a process died/, 1)), 1,
   'one line says so');
for my $url (sort keys %sum) {
    is(ask($url, $sum{$url}), undef, "$url afterwards") for 1 .. 3;
}
in_flight(0);
--- allow_log: exited\ on\ signal\ 9|\[alert\].*(?:worker\ process|shared\ memory)
