# The checks after each block are worth what they notice: suites that do what
# must not happen have to fail, and say why.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

mkdir files_dir() . '/t';

my %bad = (
    'a line of level crit' => [
        'open my $log, ">>", "$ENV{TEST_NGINX_SERVROOT}/logs/error.log";'
        . ' print $log "2026/01/01 00:00:00 [crit] 1#1: test\n"; close $log;',
        qr/nothing of level crit or worse/ ],
    'a worker that ends on a signal' => [
        'kill "KILL", worker_pids(); sleep 1;',
        qr/nothing of level crit or worse.*exited on signal 9/s ],
    'a report of UBSan in the log' => [
        'open my $log, ">>", "$ENV{TEST_NGINX_SERVROOT}/logs/error.log";'
        . ' print $log "x.c:1:2: runtime error: test\n"; close $log;',
        qr/nothing of level crit or worse/ ],
    'a section that dies' => [ 'die "oops\n";', qr/runs to its end.*oops/s ],
    'a section that does not compile' => [ 'this is; not Perl (',
        qr/compiles/ ],
    'a script of checks that fails' => [
        'run_checks("x", "oracle.py", "--base", base_url(), "--asset",'
        . ' "/nosuch.mp4", "--source", files_dir() . "/clip.mp4");',
        qr/can be read/ ],
    'a script of checks that does not run' => [
        'run_checks("x", "oracle.py", "--what");', qr/runs to its end/ ],
    'a program that is not quiet' => [ 'quiet("x", "echo", "words");',
        qr/words/ ],
);

$bad{'a sanitizer report'} = [
    'write_file("$VodTest::SanitizerLogs/report.1", "ERROR: test\n");',
    qr/no sanitizer report.*ERROR: test/s ] if $VodTest::Asan;

is((suite('ok(1, "fine");'))[0], 0, 'a block that does nothing wrong passes');

for my $name (sort keys %bad) {
    my ($code, $expected) = @{ $bad{$name} };
    my ($status, $said) = suite($code);

    isnt($status, 0, "$name fails");
    like($said, $expected, "$name is named");
}


sub suite {
    my $code = shift;
    my $path = files_dir() . '/t/inner.t';
    # Written so that this file's own data does not begin here.
    my $data = '__' . 'DATA__';

    write_file($path, <<"_EOC_");
use lib '@{[source_dir()]}/t/lib';
use VodTest;
use Test::Nginx::Socket 'no_plan';
run_tests();
$data
=== TEST 1: inner
--- check
fetch('/clip.mp4/master.m3u8');
$code
_EOC_

    local $ENV{VOD_MODULE} = $VodTest::Module;
    local $ENV{VOD_BUILD} = files_dir() . '/t';
    local $ENV{VOD_FIXTURES} = $VodTest::Fixtures;
    delete local @ENV{qw(ASAN_OPTIONS ORI_ASAN_OPTIONS
                         TEST_NGINX_SERVER_PORT)};
    my ($out, $err, $status) = capture($^X, $path);

    return ($status, $out . $err);
}
