# Fragmented files: one that is being written is served up to its last whole
# fragment, and picked up as it grows.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: a recording grows under the server
--- workers: 2
--- check
my $whole = slurp("$VodTest::Fixtures/frag-edit-list.mp4");
my $path = files_dir() . '/growing.mp4';
my @end;
push @end, pos($whole) - 8 while $whole =~ /....moof/gs;
is(scalar @end, 10, 'ten fragments');

my $size = 0;
my ($token, $first) = ('', '');
for my $step ([0, 0], [3, 0], [3, 1], [6, 5000], [10, 0]) {
    my ($whole_ones, $more) = @$step;
    my $to = $whole_ones < 10 ? $end[$whole_ones] + $more : length $whole;
    open my $out, '>>:raw', $path or die "$path: $!";
    print $out substr $whole, $size, $to - $size;
    close $out;
    $size = $to;

    my $name = "$whole_ones fragments and $more bytes";
    my $answer = fetch('/growing.mp4/v1/index.m3u8');
    if ($whole_ones == 0) {
        is($answer->{status}, 422, "$name: nothing to play");
        next;
    }
    is($answer->{status}, 200, $name);
    my $seconds = 0;
    $seconds += $1 while $answer->{content} =~ /^#EXTINF:([\d.]+)/mg;
    is($seconds, $whole_ones, "$name: seconds of whole fragments");

    my ($new) = $answer->{content} =~ /init-([0-9a-f]{12})/;
    isnt($new, $token, "$name: a new token");
    is(fetch("/growing.mp4/v1/1-$token.m4s")->{status}, 404,
       "$name: the old one is stale") if $token;
    $token = $new;

    # 6 fragments and more fill the first segment

    next if $whole_ones < 6;
    my $bytes = fetch("/growing.mp4/v1/1-$token.m4s")->{content};
    is($bytes, $first, "$name: the first segment stays") if $first ne '';
    $first = $bytes;
}
is(scalar(log_lines(qr/\[warn\].*growing\.mp4" vod: the file ends inside the /,
                    1)), 1, 'one warning');


=== TEST 2: the payload of fragments is sent as it lies in the file
--- check
my $source = slurp("$VodTest::Fixtures/frag-separate.mp4");
my $segment = fetch('/fixtures/frag-separate.mp4/a1/1.m4s')->{content};
my ($moof, $mdat) = split /....mdat/s, $segment, 2;
ok(length $mdat > 1000, 'there is payload');
is(index($source, substr $mdat, 0, 500) > 0, 1, 'byte for byte');


=== TEST 3: what could not be read as it stands is said
--- check
for my $row (grep { $_->{path} =~ /^frag-/ } fixtures('partial')) {
    my $url = asset($row->{path});
    for my $name (qw(master.m3u8 v1/2.m4s a1/1.m4s manifest.mpd)) {
        is(fetch("$url/$name")->{status}, 200, "$row->{path}: $name");
    }
    like((log_lines(qr/\[warn\].*"[^"]*\Q$row->{path}\E" vod: /, 1))[0],
         qr/vod: .*$row->{note}/, "$row->{path}: the warning");
}
