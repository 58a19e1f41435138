# "make run": the page it prints lists the folder, and a browser plays from it.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

my $browser;

BEGIN {
    ($browser) = grep { have_command($_) }
        qw(chromium chromium-browser google-chrome);

    skip_suite('Chromium is not installed') if !$browser;
}

use Test::More 'no_plan';

my $media = files_dir() . '/media';
my $base = "http://127.0.0.1:$ENV{TEST_NGINX_PORT_1}";

mkdir $media;
mkdir "$media/folder";
copy_file(files_dir() . '/clip.mp4', "$media/clip.mp4");
copy_file("$VodTest::Fixtures/h264-no-b.mp4", "$media/folder/two words.mp4");
copy_file("$VodTest::Fixtures/av1.mp4", "$media/av1.mp4");

write_file("$media/text.mp4", "not media\n");

# Nothing is installed for a test: what there is of hls.js is used.

mkdir files_dir() . '/bin';
write_file(files_dir() . '/bin/npm', "#!/bin/sh\nexit 1\n");
chmod 0755, files_dir() . '/bin/npm';

my $said = files_dir() . '/run.out';
write_file($said, '');
my $pid = start();

ok(wait_for(sub { slurp($said) =~ /Ctrl-C stops it/ }, 60), 'it starts')
    or BAIL_OUT(slurp($said));
my ($page) = slurp($said) =~ m{^  Page +(http://\S+)$}m;
is($page, "$base/", 'it prints the URL of the page');
like(fetch($page)->{content}, qr/<video/, 'which is there');
is(fetch("$base/vod/clip.mp4/$_")->{status}, 200, $_)
    for qw(master.m3u8 manifest.mpd);
is(fetch("$base/status")->{status}, 200, 'the status page');

my @assets = map { ('--asset', $_) }
    'clip.mp4', 'folder/two words.mp4', 'av1.mp4';

run_checks('the browser itself', 'browser.py', '--browser', $browser,
           '--page', $page, '--player', 'native', @assets);

SKIP: {
    skip 'hls.js is not installed', 1
        if fetch("$base/hls.min.js")->{status} != 200;
    run_checks('hls.js', 'browser.py', '--browser', $browser, '--page', $page,
               '--player', 'hls.js', @assets);
}

my ($out, $err, $status) = python('browser.py', '--browser', $browser,
    '--page', $page, '--player', 'native', '--asset', 'text.mp4');
is($status, 1, 'what cannot be played');
like($out, qr/^not ok\ttext\.mp4: no media error\t.*media error/m, 'is noticed');

kill 'INT', $pid;
ok(wait_for(sub { waitpid($pid, POSIX::WNOHANG()) == $pid }, 20),
   'it ends when asked to');
$pid = undef;
like(slurp($said), qr/^run: stopped$/m, 'and says so');

my $log = slurp("$VodTest::Build/run/$ENV{TEST_NGINX_PORT_1}/logs/error.log");
is(grep({ /\[(?:error|crit|alert|emerg)\]/
          && !/text\.mp4" vod: |hls\.min\.js" failed/ }
        split /\n/, $log), 0, 'nothing else in its log') or diag($log);
VodTest::check_sanitizer('make run');


sub start {
    my $child = fork() // die "fork: $!";

    return $child if $child;

    local $SIG{INT} = 'DEFAULT';
    $ENV{PATH} = files_dir() . "/bin:$ENV{PATH}";
    $ENV{NGINX_BINARY} = $VodTest::Asan ? "$VodTest::Build/nginx"
                                        : $ENV{TEST_NGINX_BINARY};
    open STDOUT, '>', $said or POSIX::_exit(126);
    open STDERR, '>&', \*STDOUT;
    { no warnings 'exec'; exec 'bash', source_dir() . '/tools/run/run.sh',
          $VodTest::Build, $ENV{TEST_NGINX_PORT_1}, $media; }
    POSIX::_exit(127);
}


END {
    kill 'INT', $pid if $pid && $$ == $VodTest::Owner;
    File::Path::remove_tree(
        "$VodTest::Build/run/$ENV{TEST_NGINX_PORT_1}")
        if $$ == $VodTest::Owner && !$ENV{VOD_KEEP};
}
