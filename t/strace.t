# System calls of workers that serve hot segments: the event loop never reads
# payload in a way that could block, and contiguous payload goes by sendfile.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    skip_suite('strace is not installed') if !have_command('strace');
    skip_suite('processes may not be traced')
        if system('strace -o /dev/null -e trace=none true 2>/dev/null') != 0;
}

use Test::Nginx::Socket 'no_plan';

run_tests();


# What each thread of the workers does while the code runs: for each thread its
# lines, and whether it is the main thread of its worker.

sub traced {
    my $code = shift;
    my $prefix = files_dir() . '/trace';
    my @workers = worker_pids();
    my %main = map { $_ => 1 } @workers;

    unlink glob "$prefix.*";

    my $pid = fork() // die;
    if ($pid == 0) {
        open STDERR, '>', "$prefix-said";
        my @command = ('strace', '-ff', '-y', '-s', '0', '-o', $prefix, '-e',
            'trace=read,pread64,readv,preadv,preadv2,sendfile,sendfile64,'
            . 'splice,io_submit,io_uring_enter,mincore',
            map { ('-p', $_) } @workers);
        { no warnings 'exec'; exec { $command[0] } @command; }
        POSIX::_exit(127);
    }

    wait_for(sub {
        my @tasks = map { glob "/proc/$_/task/*/status" } @workers;
        return @tasks == grep {
            my $status = eval { slurp($_) } // '';
            $status =~ /^TracerPid:\s*[1-9]/m;
        } @tasks;
    }, 20) or die 'strace does not attach';

    $code->();

    kill 'INT', $pid;
    waitpid $pid, 0;

    my (@event_loop, @threads);
    for my $file (glob "$prefix.*") {
        my ($tid) = $file =~ /\.(\d+)$/;
        my @lines = split /\n/, slurp($file);
        push @{ $main{$tid} ? \@event_loop : \@threads }, @lines;
    }

    return (\@event_loop, \@threads);
}


# Reads of a media file that wait for the disk when the page is not there.

sub blocking_reads {
    return grep { /^(?:read|pread64|readv|preadv|preadv2)\(\d+<[^>]*\.mp4>/
                  && !/^preadv2\(.*RWF_NOWAIT/ } @_;
}


# The pages that were asked after in page tables or in the page cache.

sub pages_looked_at {
    my $n = 0;
    for (@_) {
        $n += $1 / 8 if m{^pread64\(\d+</proc/\d+/pagemap>.*, (\d+), \d+\)};
        $n += POSIX::ceil($1 / 4096) if /^mincore\(\w+, (\d+),/;
    }
    return $n;
}


# A copy of a file of one chunk a sample, with its chunks so many bytes apart,
# in their order or the other way round; between them there is nothing.

sub spread_chunks {
    my ($from, $to, $step, $backwards) = @_;
    my $file = slurp($from);
    my $end = index($file, 'mdat') - 4;
    my $moov = substr $file, 0, $end;
    my (@tables, @chunks);

    while ($moov =~ /stco\0{4}(.{4})/sg) {
        my ($n, $at) = (unpack('N', $1), pos $moov);
        push @tables, [$at, $n];
        push @chunks, unpack "N$n", substr $moov, $at, 4 * $n;
    }

    @chunks = sort { $a <=> $b } @chunks;
    my $n = @chunks;
    my %new = map { $chunks[$_] => $end + 8
        + $step * ($backwards ? $n - 1 - $_ : $_) } 0 .. $#chunks;

    for (@tables) {
        my ($at, $n) = @$_;
        substr($moov, $at, 4 * $n) = pack "N$n",
            map { $new{$_} } unpack "N$n", substr $moov, $at, 4 * $n;
    }

    open my $out, '>:raw', $to or die "$to: $!";
    print $out $moov, pack 'Na4', $step * $n + 8, 'mdat';
    for my $i (0 .. $#chunks) {
        seek $out, $new{$chunks[$i]}, 0 or die $!;
        print $out substr $file, $chunks[$i],
            ($i < $#chunks ? $chunks[$i + 1] : length $file) - $chunks[$i];
    }
    truncate $out, $end + 8 + $step * $n or die "$to: $!";
    close $out or die "$to: $!";
    return $n;
}

__DATA__

=== TEST 1: 4 workers, hot, aio threads: no blocking read in an event loop
--- workers: 4
--- config
location / {
    vod on;
    vod_segment_duration 2s;
    sendfile on;
    aio threads;
    root $TEST_NGINX_FIXTURES;
}
location /read/ {
    vod on;
    vod_mmap off;
    vod_segment_duration 2s;
    sendfile on;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
my @urls;
for my $prefix ('', '/read') {
    for my $file (qw(interleave-sample.mp4 interleave-chunk.mp4
                     interleave-track.mp4))
    {
        for my $track (qw(v1 a1)) {
            my (undef, @segments) = media_urls("$prefix/$file/$track/index.m3u8");
            push @urls, @segments;
        }
    }
}
request_all(@urls) for 1, 2;

my ($loop, $threads) = traced(sub {
    for (1 .. 3) {
        my @answers = request_all(@urls);
        is(grep({ $_->{status} != 200 } @answers), 0, 'all are served');
    }
});

my @blocking = blocking_reads(@$loop);
is(scalar @blocking, 0, 'no blocking read of the media in an event loop')
    or diag(join "\n", @blocking[0 .. ($#blocking > 9 ? 9 : $#blocking)]);
cmp_ok(scalar(@$loop), '>', 0, 'the trace has lines');


=== TEST 2: long contiguous payload goes by sendfile
--- config
location / {
    vod on;
    vod_segment_duration 60s;
    sendfile on;
    root $TEST_NGINX_FIXTURES;
}
location /threads/ {
    vod on;
    vod_segment_duration 60s;
    sendfile on;
    aio threads;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
for my $prefix ('', '/threads') {
    for my $file (qw(video-only.mp4 interleave-track.mp4)) {
        my (undef, @segments) = media_urls("$prefix/$file/v1/index.m3u8");
        my $payload = 0;
        for my $url (@segments) {
            my $body = fetch($url)->{content};
            $payload += length($body) - index($body, 'mdat') - 4;
        }

        my ($loop, $threads) = traced(sub { fetch($_) for @segments });
        my $sent = 0;
        for my $line (@$loop, @$threads) {
            $sent += $1 if $line
                =~ /^sendfile(?:64)?\(\d+<[^>]*>, \d+<[^>]*\.mp4>.* = (\d+)$/;
        }
        is($sent, $payload, "$prefix/$file: all payload by sendfile");
        is(scalar(grep { /^p?read[^(]*\(\d+<[^>]*\.mp4>/ } @$loop, @$threads), 0,
           "$prefix/$file: nothing is read");
    }
}


=== TEST 3: the trace would show a blocking read
--- config
location / {
    sendfile off;
    root $TEST_NGINX_FIXTURES;
}
--- check
fetch('/interleave-track.mp4');
my ($loop) = traced(sub { fetch('/interleave-track.mp4') });
cmp_ok(scalar(blocking_reads(@$loop)), '>', 0,
       'nginx itself reads a static file so');


=== TEST 4: playlists and headers touch no media file
--- config
location / {
    vod on;
    aio threads;
    root $TEST_NGINX_FIXTURES;
}
--- check
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 a1/index.m3u8
               v1/init.mp4 a1/init.mp4);
fetch("/clip.mp4/$_") for @names;
my ($loop, $threads) = traced(sub { fetch("/clip.mp4/$_") for @names });
is(scalar(grep { /\.mp4>/ } @$loop, @$threads), 0, 'no read of any kind');


=== TEST 5: a window's runs all over a large file, forwards and backwards
--- config
location / {
    vod on;
    vod_segment_duration 2s;
    root $TEST_NGINX_FIXTURES;
}
location /far/ {
    vod on;
    vod_segment_duration 2s;
    alias $TEST_NGINX_FILES/;
}
--- check
for my $backwards (0, 1) {
    my $n = spread_chunks("$ENV{TEST_NGINX_FIXTURES}/interleave-sample.mp4",
        files_dir() . "/far$backwards.mp4", 256 << 10, $backwards);
    cmp_ok($n, '>', 400, 'more than 100 MB from the first to the last chunk');

    for my $track (qw(v1 a1)) {
        my ($url) = grep { /m4s/ }
            media_urls("/far/far$backwards.mp4/$track/index.m3u8");
        my ($near) = grep { /m4s/ }
            media_urls("/interleave-sample.mp4/$track/index.m3u8");

        my $body = fetch($url)->{content};
        my $whole = fetch($near)->{content};
        ok($body eq $whole, "$track: the same bytes");

        # all is in memory: no page ends the search early

        slurp(files_dir() . "/far$backwards.mp4");

        my ($loop) = traced(sub { fetch($url) });
        my $pages = pages_looked_at(@$loop);
        cmp_ok($pages, '>', 0, 'pages are looked at');
        cmp_ok($pages, '<', 2048, 'and not all over the file');
    }
}
