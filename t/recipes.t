# Recipes of README.md, taken from there as they stand but for their folder,
# do what is said of them.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

# the example that begins so, with the media where the suite has them

sub recipe {
    my $begin = shift;
    my @found = grep { index($_, $begin) == 0 }
        slurp("$FindBin::Bin/../README.md") =~ /^```nginx\n(.*?)^```$/msg;

    die "README.md has ", scalar @found, " examples that begin $begin"
        if @found != 1;

    my $files = files_dir();
    $found[0] =~ s{/srv/media}{$files}g;
    $found[0] =~ s{127\.0\.0\.1:9000}{127.0.0.1:$ENV{TEST_NGINX_SERVER_PORT}/application};

    return $found[0];
}

$ENV{TEST_NGINX_HEALTH} = recipe('location = /health');
$ENV{TEST_NGINX_TOKEN} = recipe('location ~ "^/s/');
$ENV{TEST_NGINX_PRIVATE} = recipe('location /private/');

mkdir files_dir() . "/$_" for qw(health private);
copy_file(files_dir() . '/clip.mp4', files_dir() . "/$_/clip.mp4")
    for qw(health private);

sub token {
    my ($file, $until) = @_;
    my $token = Digest::MD5::md5_base64("$until /$file SECRET");

    $token =~ tr{+/}{-_};

    return "/s/$token/$until/$file";
}

use Digest::MD5 ();
no_shuffle();
run_tests();

__DATA__

=== TEST 1: health
--- config
$TEST_NGINX_HEALTH
--- check
my $answer = fetch('/health');
is($answer->{status}, 200, 'well');
like($answer->{content}, qr/^#EXTM3U/, 'a playlist');
rename files_dir() . '/health/clip.mp4', files_dir() . '/health/gone.mp4';
is(fetch('/health')->{status}, 404, 'the media are gone');


=== TEST 2: a token in the path
--- config
$TEST_NGINX_TOKEN
--- check
my $asset = main::token('clip.mp4', time + 60);
my $all = fetch_all($asset);
is(scalar keys %$all, 8, 'all that belongs to the file');
is(fetch(main::token('clip.mp4', time - 60) . '/master.m3u8')->{status}, 410,
   'its time is over');
(my $other = $asset) =~ s/clip/other/;
is(fetch("$other/master.m3u8")->{status}, 403, 'of another file');
(my $later = $asset) =~ s{/(\d+)/}{'/' . ($1 + 1) . '/'}e;
is(fetch("$later/v1/1.m4s")->{status}, 403, 'of another time');
my $until = time + 60;
my $made = `printf '%s' '$until /clip.mp4 SECRET' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d =`;
chomp $made;
is("/s/$made/$until/clip.mp4", main::token('clip.mp4', $until), 'as the shell makes it');


=== TEST 3: an application decides
--- config
$TEST_NGINX_PRIVATE
location /application {
    if ($http_cookie = "viewer=1") { return 204; }
    return 403;
}
--- check
is(fetch("/private/clip.mp4/$_", Cookie => 'viewer=1')->{status}, 200, "allowed: $_")
    for qw(master.m3u8 v1/1.m4s);
is(fetch("/private/clip.mp4/$_")->{status}, 403, "denied: $_")
    for qw(master.m3u8 v1/1.m4s);
