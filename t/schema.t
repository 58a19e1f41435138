# Every MPD is valid by the schema of ISO/IEC 23009-1.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    if (! -f "$VodTest::Schema/DASH-MPD.xsd") {
        skip_suite("no DASH-MPD.xsd in $VodTest::Schema (VOD_SCHEMA)");
    }
    if (!have_command('xmllint')) {
        skip_suite('xmllint is not installed');
    }
}

use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every fixture, whole and cut at every second
--- config
location /six/ {
    vod on;
    alias $TEST_NGINX_FIXTURES/;
}
location /one/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FIXTURES/;
}
--- check
my (%name, @paths);
for my $row (fixtures('exact', 'leftout')) {
    for my $prefix (qw(six one)) {
        my $answer = fetch(asset($row->{path}, "/$prefix/") . '/manifest.mpd');
        is($answer->{status}, 200, "$prefix: $row->{path}: served") or next;
        my $path = files_dir() . '/' . @paths . '.mpd';
        write_file($path, $answer->{content});
        push @paths, $path;
        $name{$path} = "$prefix: $row->{path}";
    }
}

my (undef, $said) = capture('xmllint', '--nonet', '--noout', '--schema',
                            "$VodTest::Schema/DASH-MPD.xsd", @paths);
for my $path (@paths) {
    my @lines = grep { /^\Q$path\E[: ]/ } split /\n/, $said;
    is("@lines", "$path validates", $name{$path});
}


=== TEST 2: the schema can refuse
--- check
my $mpd = fetch('/clip.mp4/manifest.mpd')->{content};
$mpd =~ s/ d="30030"/ d="x"/ or fail('an S to change');
my $path = files_dir() . '/wrong.mpd';
write_file($path, $mpd);
my (undef, $said, $status) = capture('xmllint', '--nonet', '--noout', '--schema',
                                     "$VodTest::Schema/DASH-MPD.xsd", $path);
isnt($status, 0, 'refused');
like($said, qr/fails to validate/, 'and says so');
