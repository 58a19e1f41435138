# Limits: a file that exceeds one is refused, and the line names the file, the
# number found and the directive; one build too many waits, and one request
# that waits too many is sent away.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

no_shuffle();
run_tests();


sub refused {
    my ($path, $reason) = @_;

    is(fetch("$path/master.m3u8")->{status}, 422, 'refused');
    my ($file) = $path =~ m{([^/]+)\z};
    my @lines = log_lines(qr/\[error\].*"[^"]*\Q$file\E" vod: $reason/, 1);
    is(@lines, 1, 'the reason') or diag(error_log_lines());
}


# Takes over the configuration with one text in place of another.

sub reload {
    my ($old, $new) = @_;
    my $conf = "$ENV{TEST_NGINX_SERVROOT}/conf/nginx.conf";
    my $text = slurp($conf);
    my %before = map { $_ => 1 } worker_pids();

    $text =~ s/\Q$old\E/$new/ or die;
    write_file($conf, $text);
    kill 'HUP', nginx_pid();
    wait_for(sub {
        my @now = worker_pids();
        return @now && !grep { $before{$_} } @now;
    }, 30) or die 'no new workers';
}

__DATA__

=== TEST 1: tracks
--- http_config
vod_max_tracks 11;
--- check
refused('/fixtures/audio-12-tracks.mp4',
        'it holds 13 tracks, more than the 11 allowed \(vod_max_tracks\), ');
is(fetch('/clip.mp4/master.m3u8')->{status}, 200, 'one with fewer');
reload('vod_max_tracks 11', 'vod_max_tracks 13');
is(fetch('/fixtures/audio-12-tracks.mp4/master.m3u8')->{status}, 200,
   'a limit that is raised counts at once');
reload('vod_max_tracks 13', 'vod_max_tracks 11');
is(fetch('/fixtures/audio-12-tracks.mp4/master.m3u8')->{status}, 200,
   'what is known is not refused by a lower one');


=== TEST 2: samples
--- http_config
vod_max_samples 231;
--- check
refused('/clip.mp4', 'its tracks hold 232 samples, more than the 231 allowed'
        . ' \(vod_max_samples\), ');
is(fetch('/fixtures/one-frame.mp4/master.m3u8')->{status}, 200,
   'one with fewer');


=== TEST 3: samples of fragments
--- http_config
vod_max_samples 100;
--- check
refused('/fixtures/fragmented.mp4', 'its fragments hold more samples than the'
        . ' 100 allowed \(vod_max_samples; \d+ more at offset \d+\), ');


=== TEST 4: the index of the file
--- http_config
vod_max_index_size 3k;
--- check
refused('/clip.mp4', 'its moov box has \d{4} bytes, more than the 3072 allowed'
        . ' \(vod_max_index_size\), ');
is(fetch('/fixtures/one-frame.mp4/master.m3u8')->{status}, 200, 'a short one');


=== TEST 5: segments
--- http_config
vod_max_segments 2;
--- config
location /one/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FILES/;
}
location /two/ {
    vod on;
    vod_segment_duration 2s;
    alias $TEST_NGINX_FILES/;
}
location = /status { vod_status; }
--- check
refused('/one/clip.mp4', 'track 1 would have 3 segments of 1000 ms, more than'
        . ' the 2 allowed \(vod_max_segments\), ask for a longer'
        . ' vod_segment_duration');
is(fetch('/two/clip.mp4/master.m3u8')->{status}, 200, 'longer ones');
is(fetch('/one/clip.mp4/v1/1.m4s')->{status}, 422, 'the first is refused still');


=== TEST 6: builds at one time
--- workers: 2
--- http_config
vod_max_builds 2;
--- setup
for my $n (1 .. 4) {
    copy_file(files_dir() . '/clip.mp4', files_dir() . "/b$n.mp4");
    utime 1500000000 + $n, 1500000000 + $n, files_dir() . "/b$n.mp4";
}
--- check
hold("b$_.mp4") for 1 .. 4;
my @sockets = ask_all('/b1.mp4/master.m3u8', '/b2.mp4/master.m3u8');
held('b1.mp4');
held('b2.mp4');
is(status_page()->{index}{building}, 2, 'two builds');
push @sockets, ask_all(('/b3.mp4/master.m3u8') x 5, '/b4.mp4/master.m3u8');
waiting(6);
ok(! -f "$VodTest::Scratch/held/held.b$_.mp4", "file $_ is not read") for 3, 4;
is(status_page()->{index}{building}, 2, 'two builds still');
release("b$_.mp4") for 3, 4;
waiting(6, 'no place for them');
release('b1.mp4');
my @answers = read_all(@sockets[0, 2 .. 7]);
is(grep({ $_->{status} == 200 } @answers), 7, 'one is done: all others follow');
is(status_page()->{index}{building}, 1, 'one build');
release('b2.mp4');
is((read_all($sockets[1]))[0]{status}, 200, 'the last');
is(status_page()->{index}{building}, 0, 'no build');
is(status_page()->{index}{builds}, 4, 'one a file');
is(status_page()->{shed}, 0, 'none was sent away');


=== TEST 7: a place is waited for as long as a build may take
--- http_config
vod_max_builds 1;
vod_index_timeout 1s;
--- check
hold('clip.mp4');
my ($first) = ask_all('/clip.mp4/master.m3u8');
held('clip.mp4');
my @answers = read_all(ask_all('/fixtures/long.mp4/master.m3u8',
                               '/clip.mp4/master.m3u8'));
is(grep({ $_->{status} == 503 } @answers), 2, 'sent away');
like($_->{head}, qr/^Retry-After: \d+\r?$/m, 'Retry-After') for @answers;
my @lines = log_lines(qr/\[error\].*long\.mp4" vod: has waited 1\d\d\d ms \(vod_index_timeout\) for one of 1 builds to end \(vod_max_builds\)/, 1);
is(@lines, 1, 'the reason of the one');
@lines = log_lines(qr/\[error\].*clip\.mp4" vod: has waited 1\d\d\d ms \(vod_index_timeout\) for its index, check the disk/, 1);
is(@lines, 1, 'and of the other');
release('clip.mp4');
is((read_all($first))[0]{status}, 503, 'the build has taken too long');
is(scalar(log_lines(qr/\[error\].*clip\.mp4" vod: indexing took longer than 1000 ms \(vod_index_timeout\)/, 1)),
   1, 'which is its reason');
is(fetch('/clip.mp4/master.m3u8')->{status}, 200, 'none of it is kept');
is(status_page()->{index}{building}, 0, 'nor a place');


=== TEST 8: a killed worker has no place, waits for nothing, answers nobody
--- workers: 2
--- http_config
vod_max_builds 1;
--- check
hold('clip.mp4');
my @first = ask_all(('/clip.mp4/master.m3u8') x 8);
my ($pid) = held('clip.mp4');
in_flight(8);
kill 'KILL', $pid;
ok(wait_for(sub { !VodTest::alive($pid) }, 30), 'it is gone');
release('clip.mp4');
is(fetch('/fixtures/long.mp4/master.m3u8')->{status}, 200,
   'its place is free again');
is(grep({ $_->{status} != 200 && $_->{status} != 0 } read_all(@first)), 0,
   'the others are served');
my $status = status_page();
is($status->{index}{building}, 0, 'no build');
is($status->{in_flight}, 0, 'none is being answered');
is($status->{waiting}, 0, 'none waits');
--- allow_log: exited\ on\ signal\ 9


=== TEST 9: requests that wait
--- http_config
vod_max_waiting 2;
--- check
hold('clip.mp4');
my @sockets = ask_all('/clip.mp4/master.m3u8');
held('clip.mp4');
push @sockets, ask_all(('/clip.mp4/master.m3u8') x 2);
waiting(2);
is(fetch('/clip.mp4/master.m3u8')->{status}, 503, 'one more is sent away');
is(scalar(log_lines(qr/\[error\].*clip\.mp4" vod: 2 requests are waiting for an index already \(vod_max_waiting\)/, 1)),
   1, 'the reason');
release('clip.mp4');
is(grep({ $_->{status} == 200 } read_all(@sockets)), 3, 'the others are served');
