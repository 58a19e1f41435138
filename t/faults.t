# Files that are replaced, removed, unreadable or on a device that stalls, and
# clients that leave meanwhile: MP4 files, and files whose segments are made.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

use Errno ();

our %From = (mp4 => ['long.mp4', 'vfr.mp4'],
             ts => ['mpegts.ts', 'ts-m2ts.m2ts'],
             mkv => ['matroska.mkv', 'webm.webm']);
our $age = 1_500_000_000;

no_shuffle();
run_tests();


# A file of one of the two contents of its kind, at a time of its own.

sub media {
    my ($name, $which) = @_;
    my ($kind) = $name =~ /\.(\w+)$/;
    my $file = files_dir() . "/$name";

    unlink $file;
    copy_file("$VodTest::Fixtures/" . $main::From{$kind}[$which // 0], $file);
    $main::age++;
    utime $main::age, $main::age, $file;
}


# What vodtool makes of a file, and what clients get of it.

sub segment {
    my ($name, $track, $n) = @_;
    my ($out, $err, $status) = vodtool('-d', 1, 'segment',
                                       files_dir() . "/$name", $track, $n);
    die "$name: $err" if $status != 0;
    return $out;
}


sub status { return (request_all($_[0]))[0]{status} }


sub serves {
    my ($name, $why) = @_;

    for my $track (qw(v1 a1)) {
        my $answer = fetch("/$name/$track/1.m4s");
        ok($answer->{status} == 200
           && $answer->{content} eq segment($name, $track, 1),
           "$name: $why, $track") or diag($answer->{status});
    }
}

__DATA__

=== TEST 1: replaced, with what was made of it in memory
--- workers: 2
--- check
for my $kind (qw(mp4 ts mkv)) {
    my $name = "replaced.$kind";
    media($name);
    serves($name, 'as it is') for 1, 2;
    my ($map, $url) = media_urls("/$name/v1/index.m3u8");
    is(status($url), 200, "$name: by its name in the playlist");

    media("next.$kind", 1);
    rename files_dir() . "/next.$kind", files_dir() . "/$name" or die;
    serves($name, 'another by rename') for 1, 2;
    is(status($url), 404, "$name: not by the name of what it was");

    # in place: the same inode, and the same number of bytes

    my $file = files_dir() . "/$name";
    media("other.$kind", 0);
    my $bytes = slurp(files_dir() . "/other.$kind");
    my $size = -s $file;
    my $inode = (stat $file)[1];
    $bytes = substr $bytes . "\0" x $size, 0, $size;
    open my $out, '+<:raw', $file or die;
    print $out $bytes;
    close $out or die;
    is((stat $file)[1], $inode, 'the same inode');
    is(-s $file, $size, 'the same size');
    my ($made, $err, $code) = vodtool('-d', 1, 'segment', $file, 'v1', 1);
    my $answer = fetch("/$name/v1/1.m4s");
    if ($code == 0) {
        ok($answer->{content} eq $made, "$name: another in place");

    } else {
        is($answer->{status}, 422, "$name: refused, as it is cut short");
    }
}


=== TEST 2: removed, and back again
--- check
for my $kind (qw(mp4 ts mkv)) {
    my $name = "removed.$kind";
    media($name);
    serves($name, 'as it is');
    unlink files_dir() . "/$name";
    is(status("/$name/$_"), 404, "$name: $_ is gone")
        for qw(master.m3u8 v1/1.m4s a1/1.m4s v1/init.mp4);
    media($name);
    serves($name, 'back again');
}


=== TEST 3: removed while it is read
--- check
for my $kind (qw(mp4 ts mkv)) {
    my $name = "gone.$kind";
    media($name);
    my $whole = segment($name, 'v1', 1);
    hold($name);
    my ($socket) = ask_all("/$name/v1/1.m4s");
    held($name);
    unlink files_dir() . "/$name";
    release($name);
    my ($answer) = read_all($socket);
    ok($answer->{content} eq $whole, "$name: who has it open gets it");
    is(status("/$name/v1/1.m4s"), 404, "$name: nobody else");
}
in_flight(0);


=== TEST 4: made unreadable, and readable again
--- worker_user: nobody nogroup
--- check
SKIP: {
    skip 'not root', 1 if $> != 0;
    for my $kind (qw(mp4 ts mkv)) {
        my $name = "closed.$kind";
        media($name);
        chmod 0644, files_dir() . "/$name";
        serves($name, 'as it is');
        chmod 0, files_dir() . "/$name";
        is(status("/$name/$_"), 403, "$name: $_ may not be read")
            for qw(master.m3u8 v1/1.m4s a1/1.m4s);
        chmod 0644, files_dir() . "/$name";
        serves($name, 'readable again');
    }
}


=== TEST 5: a device that stalls: who does not want of it is served
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- check
for my $kind (qw(mp4 ts mkv)) {
    media("$_.$kind") for qw(stalls sound);
    hold("stalls.$kind");
    my @index = ask_all(("/stalls.$kind/v1/1.m4s") x 10);
    held("stalls.$kind");
    serves("sound.$kind", 'while another one stalls');
    is(status('/t'), 200, 'the event loop goes on');
    in_flight(10);

    # of a file that fails in the end, and then does not

    order("fail.stalls.$kind", Errno::EIO());
    release("stalls.$kind");
    my @answers = read_all(@index);
    is(grep({ $_->{status} == 500 } @answers), 10, 'all are told');
    cancel("fail.stalls.$kind");
    serves("stalls.$kind", 'afterwards');
}
in_flight(0);
waiting(0);
--- allow_log: failed\ with\ system\ error\ 5


=== TEST 6: a device that stalls while payload is read
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    vod_mmap off;
    sendfile off;
    root $TEST_NGINX_FILES;
}
location = /status { vod_status; }
--- check
for my $kind (qw(mp4 ts mkv)) {
    media("$_.$kind") for qw(payload warm);
    is(status("/payload.$kind/master.m3u8"), 200, 'its index is there');
    my $whole = segment("payload.$kind", 'v1', 1);
    order('cold');
    hold("payload.$kind");
    my @sockets = ask_all(("/payload.$kind/v1/1.m4s") x 4);
    held("payload.$kind");
    serves("warm.$kind", 'while another one stalls');
    in_flight(4);
    close pop @sockets;
    close shift @sockets;
    release("payload.$kind");
    is(grep({ $_->{content} eq $whole } read_all(@sockets)), 2,
       "payload.$kind: who stays gets all");
    cancel('cold');
    in_flight(0);
    serves("payload.$kind", 'afterwards');
}


=== TEST 7: all clients leave while a task runs
--- workers: 2
--- check
for my $kind (qw(mp4 ts mkv)) {
    my $name = "left.$kind";
    media($name);
    for my $url ("/$name/master.m3u8", "/$name/v1/1.m4s") {
        media($name);
        status("/$name/master.m3u8") if $kind eq 'ts' && $url =~ /m4s/;
        hold($name);
        my @sockets = ask_all(($url) x 6);
        held($name);
        in_flight(6);
        close $_ for @sockets;
        release($name);
        in_flight(0);
        is(status($url), 200, "$url afterwards") for 1, 2;
    }
}
waiting(0);
