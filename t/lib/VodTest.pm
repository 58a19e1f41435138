package VodTest;

# What every suite of this folder shares, on top of Test::Nginx::Socket as it
# is.  Load it before Test::Nginx::Socket: it chooses the port, the server root
# and the module through the environment that Test::Nginx reads when loaded.
#
#   use FindBin;
#   use lib "$FindBin::Bin/lib";
#   use VodTest;
#   use Test::Nginx::Socket 'no_plan';
#   run_tests();
#   __DATA__
#
# Beside Test::Nginx's own sections a block may have
#
#   --- setup          Perl run before the server starts
#   --- check          Perl run while the server of this block is up
#   --- after          Perl run when that server has ended
#   --- workers        number of worker processes
#   --- worker_user    user of the workers when the suite runs as root
#   --- allow_log      regex of crit, alert, emerg lines that are asked for
#
# A block without "config" gets vod_status at /status, the fixtures under
# /fixtures/ and under / a folder of the suite's own, cut at every second, that
# holds a copy of the committed clip as clip.mp4.  A block without "request"
# asks for /t, which always answers 200.
#
# When a block is over the server is stopped and its whole error log is read: a
# line of level crit or worse, a worker that ended on a signal and a sanitizer
# report each fail the block.

use strict;
use warnings;

use Cwd ();
use Digest::SHA ();
use File::Basename ();
use File::Path ();
use HTTP::Tiny ();
use IO::Socket::INET ();
use JSON::PP ();
use POSIX ();
use Socket ();
use Test::More ();
use Time::HiRes ();

use base 'Exporter';

our @EXPORT = qw(
    ask_all asset base_url capture copy_file error_log_lines fetch fetch_all
    files_dir fixtures have_command lines_of log_lines long_sound make_certificate media_urls
    nginx_pid python quiet read_all request_all run_checks sha skip_suite slurp source_dir
    status_page token_of vodtool vodtools wait_for worker_pids write_file
);

our ($Root, $Build, $Fixtures, $Module, $Tool, $Media, $Schema, $Asan, $Slow);
our ($Scratch, $Files, $SanitizerLogs);

my $tb = Test::More->builder;


# A module built with AddressSanitizer asks for its run time to be loaded
# first.  nginx turns its standard error into the error log, so reports go to
# files of their own that finish_block() reads.

sub set_sanitizer {
    my $preload = `ldd '$Module' 2>/dev/null`;

    return 0 if $preload !~ m{(/\S*libasan\S*)};

    my $runtime = $1;
    my $common = "log_path=$SanitizerLogs/report,exitcode=99";

    $ENV{TEST_NGINX_LD_PRELOAD} = $runtime;

    # commas: Test::Nginx takes the options apart at them

    $ENV{ASAN_OPTIONS} = "$common,detect_leaks=0,detect_odr_violation=0";
    $ENV{UBSAN_OPTIONS} = "$common,print_stacktrace=1";

    return 1;
}


BEGIN {
    $Root = File::Basename::dirname(File::Basename::dirname(
        File::Basename::dirname(Cwd::abs_path(__FILE__))));

    $Build = Cwd::abs_path($ENV{VOD_BUILD} || "$Root/build")
        || "$Root/build";
    $Fixtures = $ENV{VOD_FIXTURES} || "$Build/fixtures";
    $Module = $ENV{VOD_MODULE} || "$Build/ngx_http_vod_module.so";
    $Tool = $ENV{VOD_TOOL} || "$Build/vodtool";
    $Media = $ENV{VOD_MEDIA} || "$Root/../shared/media";
    $Schema = $ENV{VOD_SCHEMA} || "$Root/../shared/schema";

    for my $path ($Fixtures, $Module, $Tool, $Media, $Schema) {
        $path = Cwd::abs_path($path) || $path;
    }

    my $suite = File::Basename::basename($0, '.t');

    $Scratch = "$Build/t/$suite.$$";
    $Files = "$Scratch/files";
    $SanitizerLogs = "$Scratch/sanitizer";

    File::Path::make_path($Files, $SanitizerLogs, "$Scratch/root");
    chmod 0755, $Scratch, $Files;

    $ENV{TEST_NGINX_BINARY} ||= -x '/usr/sbin/nginx' ? '/usr/sbin/nginx'
                                                     : 'nginx';
    $ENV{TEST_NGINX_SERVROOT} = "$Scratch/root";
    $ENV{TEST_NGINX_LOAD_MODULES} = $Module;
    $ENV{TEST_NGINX_LOG_LEVEL} ||= 'info';
    $ENV{TEST_NGINX_TIMEOUT} ||= 20;
    $ENV{TEST_NGINX_FIXTURES} = $Fixtures;
    $ENV{TEST_NGINX_FILES} = $Files;
    $ENV{TEST_NGINX_SOURCE} = $Root;

    $Asan = set_sanitizer();
    $Slow = $Asan || $ENV{VOD_SLOW};
}


use Test::Nginx::Util ();

if (! -f $Module) {
    Test::More::BAIL_OUT("$Module is not there, run make first");
}

choose_port();
copy_file("$Root/fixtures/clip.mp4", "$Files/clip.mp4");

Test::Nginx::Util::master_on();
Test::Nginx::Util::no_root_location();
Test::Nginx::Util::no_long_string();
Test::Nginx::Util::worker_connections(1024);
Test::Nginx::Util::config_preamble(
    "        location = /t { return 200 \"ok\\n\"; }\n");

Test::Nginx::Util::add_block_preprocessor(\&prepare_block);
Test::Nginx::Util::add_test_cleanup_handler(\&finish_block);

my $default_config = <<'_EOC_';
        location / {
            vod on;
            vod_segment_duration 1s;
            root $TEST_NGINX_FILES;
        }
        location /fixtures/ {
            vod on;
            alias $TEST_NGINX_FIXTURES/;
        }
        location = /status {
            vod_status;
        }
_EOC_


sub choose_port {
    my $port = Test::Nginx::Util::gen_rand_port(1000, {}, 8)
        or die "no free port\n";

    Test::Nginx::Util::server_port($port);
    Test::Nginx::Util::server_port_for_client($port);

    $ENV{TEST_NGINX_SERVER_PORT} = $port;

    for my $n (1 .. 7) {
        $ENV{"TEST_NGINX_PORT_$n"} = $port + $n;
    }
}


# --- blocks

sub prepare_block {
    my $block = shift;

    if (!defined $block->config) {
        $block->set_value('config', $default_config);
    }

    if (!defined $block->request && !defined $block->raw_request
        && !defined $block->pipelined_requests)
    {
        $block->set_value('request', 'GET /t');
    }

    my $workers = $block->workers;
    Test::Nginx::Util::workers(defined $workers ? $workers + 0 : 1);

    my $user = $block->worker_user;
    if (defined $user) {
        $user =~ s/\s+\z//;
    }

    $Test::Nginx::Util::WorkerUser = $> == 0 && defined $user ? $user : undef;

    if (defined $block->setup) {
        run_section($block->setup, $block->name . ' - setup');
    }
}


sub finish_block {
    my $block = shift;
    my $name = $block->name;

    if (defined $block->check) {
        run_section($block->check, "$name - check");
    }

    stop_server($name);

    if (defined $block->after) {
        run_section($block->after, "$name - after");
    }

    check_log($block, $name);
    check_sanitizer($name);
}


sub run_section {
    my ($text, $name) = @_;

    $name =~ s/["\n]/ /g;

    my $code = eval "package main; use strict; use warnings;\n"
                    . "sub {\n# line 1 \"$name\"\n$text\n}";

    if (!$code) {
        $tb->ok(0, "$name compiles");
        $tb->diag($@);
        return;
    }

    return if eval { $code->(); 1 };

    $tb->ok(0, "$name runs to its end");
    $tb->diag($@);
}


sub stop_server {
    my $name = shift;
    my $pid = nginx_pid();

    return if !defined $pid;

    kill 'QUIT', $pid;

    return if wait_for(sub { !alive($pid) }, $Slow ? 60 : 20);

    $tb->ok(0, "$name - the server ends when asked to");
    kill 'KILL', $pid;
}


sub check_log {
    my ($block, $name) = @_;

    my $allow = $block->allow_log;
    my @bad;

    for my $line (error_log_lines()) {
        next if $line !~ / \[ (?:crit|alert|emerg) \] | exited\ on\ signal
                          | AddressSanitizer | LeakSanitizer
                          | :\d+:\d+:\ runtime\ error: /x;

        next if defined $block->must_die && $line =~ /\[emerg\]/;
        next if defined $allow && $line =~ /$allow/x;

        push @bad, $line;
    }

    $tb->ok(!@bad, "$name - nothing of level crit or worse in the error log");

    if (@bad) {
        $tb->diag(join '', @bad > 20 ? @bad[0 .. 19] : @bad);
        keep_log($name);
    }
}


sub keep_log {
    my $name = shift;

    $name =~ s/\W+/-/g;
    File::Path::make_path("$Build/t/failed");
    write_file("$Build/t/failed/" . substr($name, -80) . ".error.log",
               join '', error_log_lines());
}


my %seen_report;

sub check_sanitizer {
    my $name = shift;

    return if !$Asan;

    my @new = grep { !$seen_report{$_}++ } glob "$SanitizerLogs/report*";

    $tb->ok(!@new, "$name - no sanitizer report");

    for my $report (@new) {
        $tb->diag(slurp($report));
    }
}


END {
    my $failed = $?;
    my $passing = $tb->is_passing;

    if ($$ == ($VodTest::Owner // 0)) {
        my $pid = nginx_pid();

        if (defined $pid) {
            kill 'QUIT', $pid;
            wait_for(sub { !alive($pid) }, 20);
        }

        if (!$ENV{VOD_KEEP} && $passing) {
            File::Path::remove_tree($Scratch);
        }
    }

    $? = $failed;
}

our $Owner = $$;


# --- the server of the block

sub base_url {
    return "http://127.0.0.1:$ENV{TEST_NGINX_SERVER_PORT}";
}


sub nginx_pid {
    open my $in, '<', "$Scratch/root/logs/nginx.pid" or return undef;
    my $pid = <$in>;
    close $in;

    return defined $pid && $pid =~ /(\d+)/ && alive($1) ? $1 : undef;
}


# An ended daemon stays a zombie until somebody asks for its status.

sub alive {
    my $pid = shift;

    open my $in, '<', "/proc/$pid/stat" or return 0;
    my $line = <$in> // '';
    close $in;

    return $line =~ /\) [^ZX ]/;
}


sub worker_pids {
    my $master = nginx_pid() // return ();
    my @workers;

    for my $pid (split ' ', `ps -o pid= --ppid $master`) {
        my $title = `ps -o args= -p $pid`;
        push @workers, $pid
            if $title =~ /nginx: worker process(?! is)|\bvalgrind\b/;
    }

    return @workers;
}


sub error_log_lines {
    open my $in, '<', "$Scratch/root/logs/error.log" or return ();
    my @lines = <$in>;
    close $in;

    return @lines;
}


# Lines of the error log that match, once there are as many as asked for:
# nginx writes some after the response has been sent.

sub log_lines {
    my ($pattern, $wanted) = @_;
    my @found;

    wait_for(sub {
        @found = grep { $_ =~ $pattern } error_log_lines();
        return @found >= ($wanted // 0);
    }, 5);

    return @found;
}


sub fetch {
    my ($path, %opt) = @_;

    my $method = delete $opt{method} // 'GET';
    my $url = $path =~ m{^https?://} ? $path : base_url() . $path;
    my $body = delete $opt{body};

    my $client = HTTP::Tiny->new(agent => 'vod-test', max_redirect => 0,
                                 timeout => $Slow ? 120 : 60,
                                 keep_alive => 0, proxy => undef,
                                 http_proxy => undef, https_proxy => undef);

    my $answer = $client->request($method, $url,
                                  { headers => \%opt, defined $body
                                    ? (content => $body) : () });
    $answer->{content} //= '';

    return $answer;
}


# All requests are written before the first answer is read.

sub request_all { return read_all(ask_all(@_)) }


# The sockets, each with its request written.

sub ask_all {
    my (@requests) = @_;
    my @sockets;

    for my $request (@requests) {
        my $socket = IO::Socket::INET->new(
            PeerAddr => '127.0.0.1', PeerPort => $ENV{TEST_NGINX_SERVER_PORT},
            Proto => 'tcp', Timeout => 60)
            or die "connect failed: $!";

        setsockopt $socket, Socket::SOL_SOCKET(), Socket::SO_RCVTIMEO(),
            pack 'l!l!', 120, 0;
        push @sockets, $socket;
    }

    for my $i (0 .. $#requests) {
        my $line = $requests[$i] =~ /^[A-Z]+ / ? $requests[$i]
                                               : "GET $requests[$i]";
        print { $sockets[$i] } "$line HTTP/1.0\r\nHost: localhost\r\n\r\n";
        $sockets[$i]->flush;
    }

    return @sockets;
}


sub read_all {
    my (@sockets) = @_;
    my @answers;

    for my $socket (@sockets) {
        local $/;
        my $all = <$socket> // '';
        my ($head, $body) = split /\r\n\r\n/, $all, 2;
        my ($status) = ($head // '') =~ m{^HTTP/1\.\d (\d+)};

        push @answers, { status => $status // 0, head => $head // '',
                         content => $body // '' };
        close $socket;
    }

    return @answers;
}


sub status_page {
    my $answer = fetch($_[0] // '/status');

    die "status page answers $answer->{status}" if $answer->{status} != 200;

    return JSON::PP::decode_json($answer->{content});
}


# --- playlists, as far as a suite needs them; t/e2e has the real parsers

sub lines_of {
    my $answer = fetch(@_);

    die "$_[0] answers $answer->{status}" if $answer->{status} != 200;

    return split /\r?\n/, $answer->{content};
}


# The header and the segments as the media playlist names them.

sub media_urls {
    my $playlist = shift;
    my ($folder) = $playlist =~ m{^(.*/)};
    my ($map, @segments);

    for my $line (lines_of($playlist)) {
        if ($line =~ /^#EXT-X-MAP:.*URI="([^"]+)"/) {
            $map = "$folder$1";

        } elsif ($line =~ /^[^#\s]/) {
            push @segments, "$folder$line";
        }
    }

    return ($map, @segments);
}


sub token_of {
    my ($map) = media_urls(@_);

    return $map =~ /init-([0-9a-f]{12})\.mp4$/ ? $1 : undef;
}


# Every body an asset has, by its path below the asset.

sub fetch_all {
    my $asset = shift;
    my %body;

    for my $name ('master.m3u8', 'manifest.mpd') {
        $body{$name} = get_ok("$asset/$name");
    }

    my @tracks = $body{'master.m3u8'} =~ m{^([va]\d+)/index\.m3u8}mg;
    push @tracks, $body{'master.m3u8'} =~ m{URI="([va]\d+)/index\.m3u8"}g;

    my %once;
    for my $track (grep { !$once{$_}++ } @tracks) {
        $body{"$track/index.m3u8"} = get_ok("$asset/$track/index.m3u8");

        for my $url (media_urls("$asset/$track/index.m3u8")) {
            $body{substr $url, length("$asset/")} = get_ok($url);
        }
    }

    return \%body;
}


sub get_ok {
    my $answer = fetch($_[0]);

    die "$_[0] answers $answer->{status}" if $answer->{status} != 200;

    return $answer->{content};
}


# --- fixtures and files

# Rows of INDEX.tsv whose "expect" is one of those given, all without.

sub fixtures {
    my %wanted = map { $_ => 1 } @_;
    my (@rows, @columns);

    open my $in, '<', "$Fixtures/INDEX.tsv"
        or die "$Fixtures/INDEX.tsv: $!, run make fixtures first\n";

    while (my $line = <$in>) {
        chomp $line;
        next if $line =~ /^\s*$/;

        if (!@columns) {
            $line =~ s/^#\s*//;
            @columns = split /\t/, $line;
            next;
        }

        my %row;
        @row{qw(path expect video audio note)} = split /\t/, $line;
        push @rows, \%row if !%wanted || $wanted{$row{expect}};
    }

    close $in;

    return @rows;
}


# The URL path of a fixture under a prefix.

sub asset {
    my ($path, $prefix) = @_;

    $path = ($prefix // '/fixtures/') . $path;
    $path =~ s{([^A-Za-z0-9/._~-])}{sprintf '%%%02X', ord $1}ge;

    return $path;
}


sub files_dir { return $Files }

# As many minutes of sound, of 8 samples a second, as a file of this name.

sub long_sound {
    my ($name, $minutes) = @_;
    my ($path, $minute) = ("$Files/$name", "$Scratch/minute.mp4");

    capture('ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
            'sine=frequency=220:sample_rate=8000:duration=60', '-c:a', 'aac',
            '-b:a', '8k', $minute);
    capture('ffmpeg', '-v', 'error', '-y', '-stream_loop', $minutes - 1, '-i',
            $minute, '-c', 'copy', $path);
    die "$path: not made" if ! -s $path;
}


sub source_dir { return $Root }


sub slurp {
    my $path = shift;

    open my $in, '<:raw', $path or die "$path: $!";
    local $/;
    my $text = <$in>;
    close $in;

    return $text // '';
}


sub write_file {
    my ($path, $text) = @_;

    open my $out, '>:raw', $path or die "$path: $!";
    print $out $text;
    close $out or die "$path: $!";
}


# A copy with the modification time of the original.

sub copy_file {
    my ($from, $to) = @_;

    system('cp', '-p', '--', $from, $to) == 0 or die "cp $from $to";

    return $to;
}


sub sha { return Digest::SHA::sha256_hex($_[0]) }


# --- other programs

sub have_command {
    my $name = shift;

    return grep { -x "$_/$name" } split(/:/, $ENV{PATH}), '/usr/sbin';
}


# Output, diagnostics and exit status of a command given as a list.

sub capture {
    my (@command) = @_;
    my ($out, $err) = map { "$Scratch/capture.$$.$_" } 'out', 'err';
    my $pid = fork() // die "fork: $!";

    if ($pid == 0) {
        $Test::Nginx::Util::InSubprocess = 1;
        open STDOUT, '>', $out or POSIX::_exit(126);
        open STDERR, '>', $err or POSIX::_exit(126);
        open STDIN, '<', '/dev/null';
        { no warnings 'exec'; exec { $command[0] } @command; }
        POSIX::_exit(127);
    }

    waitpid $pid, 0;

    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my @result = (slurp($out), slurp($err), $status);

    unlink $out, $err;

    return @result;
}


# True when the command succeeds and says nothing.

sub quiet {
    my ($name, @command) = @_;
    my ($out, $err, $status) = capture(@command);
    my $ok = $status == 0 && $out eq '' && $err eq '';

    $tb->ok($ok, $name);
    $tb->diag("@command\nexit $status\n" . substr("$out$err", 0, 2000))
        if !$ok;

    return $ok;
}


# vodtool is not preloaded: it carries its own run time.  Its leaks count.

sub vodtool {
    local $ENV{ASAN_OPTIONS} = 'detect_leaks=1:exitcode=99' if $Asan;

    return capture($Tool, @_);
}


# Several runs, two at a time: [output, diagnostics, status] of each.

sub vodtools {
    my (@argument_lists) = @_;
    my (@results, %running);

    local $ENV{ASAN_OPTIONS} = 'detect_leaks=1:exitcode=99' if $Asan;

    my $reap = sub {
        my $pid = waitpid -1, 0;
        my $n = delete $running{$pid} // return;
        $results[$n][2] = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    };

    for my $n (0 .. $#argument_lists) {
        $reap->() while keys %running >= 2;
        my $pid = fork() // die "fork: $!";

        if ($pid == 0) {
            open STDOUT, '>', "$Scratch/run.$n.out" or POSIX::_exit(126);
            open STDERR, '>', "$Scratch/run.$n.err" or POSIX::_exit(126);
            { no warnings 'exec'; exec { $Tool } $Tool,
                  @{ $argument_lists[$n] }; }
            POSIX::_exit(127);
        }

        $running{$pid} = $n;
    }

    $reap->() while %running;

    for my $n (0 .. $#argument_lists) {
        @{ $results[$n] }[0, 1] = map { slurp("$Scratch/run.$n.$_") }
            'out', 'err';
        unlink "$Scratch/run.$n.out", "$Scratch/run.$n.err";
    }

    return @results;
}


sub python {
    my ($script, @args) = @_;

    local $ENV{PYTHONDONTWRITEBYTECODE} = 1;

    return capture('python3', "$Root/t/e2e/$script", @args);
}


# A script of t/e2e prints one result a line: "ok" or "not ok", a tabulator, a
# name, and after another tabulator what was seen.  Each line is one test.

sub run_checks {
    my ($name, $script, @args) = @_;
    my ($out, $err, $status) = python($script, @args);
    my $count = 0;

    for my $line (grep { length } split /\n/, $out) {
        my ($result, $what, $seen) = split /\t/, $line, 3;

        next if $result !~ /^(?:not )?ok$/;

        $count++;
        $tb->ok($result eq 'ok', "$name: $what")
            or $tb->diag($seen // '');
    }

    $tb->ok($count > 0 && $status <= 1 && $err eq '',
            "$name: $script runs to its end")
        or $tb->diag("exit $status\n" . substr($err, -3000));

    return $status;
}


# tls.crt and tls.key in the folder of the suite.

sub make_certificate {
    capture('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
            '-days', '2', '-subj', '/CN=localhost',
            '-keyout', "$Files/tls.key", '-out', "$Files/tls.crt");

    die 'openssl made no certificate' if ! -s "$Files/tls.crt";
}


sub wait_for {
    my ($condition, $seconds) = @_;
    my $end = Time::HiRes::time() + $seconds;

    until ($condition->()) {
        return 0 if Time::HiRes::time() > $end;
        Time::HiRes::sleep(0.02);
    }

    return 1;
}


sub skip_suite {
    my $why = shift;

    Test::More::plan(skip_all => $why);
    exit 0;
}


1;
