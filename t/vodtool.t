# vodtool writes what the server sends, byte for byte, and says why where the
# server answers 404 or 422.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: every fixture, every kind of body
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
my %often = map { $_ => 1 } qw(clip.mp4 h264-open-gop.mp4 audio-late.mp4
    edit-start-inside.mp4 vfr.mp4 hevc-hev1.mp4 audio-only.m4a languages.mp4
    video-two.mp4 frag-hybrid.mp4 quicktime.mov);

for my $row (fixtures('exact', 'leftout')) {
    for my $prefix ('six', $often{ $row->{path} } ? 'one' : ()) {
        my $body = fetch_all(asset($row->{path}, "/$prefix/"));
        my $file = "$VodTest::Fixtures/$row->{path}";
        my @options = $prefix eq 'one' ? ('-d', '1') : ();
        my @names = grep { wanted($_, $body, $row, $often{ $row->{path} }) }
            sort keys %$body;
        my @runs = vodtools(map { [@options, arguments($_, $file)] } @names);
        my @wrong = grep { $runs[$_][0] ne $body->{ $names[$_] }
                           || $runs[$_][1] ne '' || $runs[$_][2] != 0 }
            0 .. $#names;

        cmp_ok(scalar @names, '>=', 2, "$prefix: $row->{path}: some");
        is("@names[@wrong]", '', "$prefix: $row->{path}")
            or diag($runs[ $wrong[0] ][1]);
    }
}

# A run costs what it takes to load libavformat.  The manifest and the last
# segment of one track tell whether the index is the same; of those asked more
# often all kinds of body, of many segments the first two and the last, of many
# tracks the first two.

sub wanted {
    my ($name, $body, $row, $all) = @_;
    my ($track, $number, $token) = $name =~ m{^(\w+)/(?:(\d+)-(\w+)\.m4s)?};
    my $last = defined $number
        && !exists $body->{ "$track/" . ($number + 1) . "-$token.m4s" };

    if (!$all) {
        my $first = exists $body->{'v1/index.m3u8'} ? 'v1' : 'a1';
        return $name eq 'manifest.mpd' || $last && $track eq $first;
    }

    return 0 if defined $track && $track =~ /(\d+)/ && $1 > 2;
    return !defined $number || $number <= 2 || $last;
}

sub arguments {
    my ($name, $file) = @_;
    return ('master', $file) if $name eq 'master.m3u8';
    return ('manifest', $file) if $name eq 'manifest.mpd';
    return ('media', $file, $1) if $name =~ m{^(\w+)/index\.m3u8$};
    return ('init', $file, $1) if $name =~ m{^(\w+)/init};
    return ('segment', $file, $1, $2) if $name =~ m{^(\w+)/(\d+)-};
    die $name;
}


=== TEST 2: what cannot be served
--- check
for my $row (fixtures('refuse')) {
    my ($out, $err, $status) = vodtool('master',
                                       "$VodTest::Fixtures/$row->{path}");
    is($status, 1, "$row->{path}: exit status");
    is($out, '', "$row->{path}: no output");
    like($err, qr/$row->{note}/i, "$row->{path}: the reason");
    unlike($err, qr/Sanitizer|runtime error/, "$row->{path}: cleanly");
}


=== TEST 3: what is not there
--- check
my $clip = files_dir() . '/clip.mp4';
for my $args (['media', $clip, 'v2'], ['init', $clip, 'a2'],
              ['segment', $clip, 'v1', '99'], ['segment', $clip, 'v1', '0'])
{
    my ($out, $err, $status) = vodtool(@$args);
    is($status, 3, "@$args[0, 2 .. $#$args]: exit status");
    is($out, '', 'no output');
}


=== TEST 4: wrong usage
--- check
my $clip = files_dir() . '/clip.mp4';
for my $args ([], ['what'], ['master'], ['segment', $clip], ['media', $clip],
              ['-d', '0', 'master', $clip], ['-d', '61', 'master', $clip],
              ['-d', 'x', 'master', $clip], ['-d'], ['-x', 'master', $clip],
              ['segment', $clip, 'v1', 'one'], ['master', $clip, 'more'])
{
    my ($out, $err, $status) = vodtool(@$args);
    is($status, 2, "'@$args': exit status");
    is($out, '', "'@$args': no output");
    isnt($err, '', "'@$args': says how");
}
for my $args (['-h'], ['-v', '-h', 'what']) {
    my ($out, $err, $status) = vodtool(@$args);
    is($status, 0, "'@$args': asked for");
    like($out, qr/^usage: vodtool .* segment FILE TRACK NUMBER$/ms,
         "'@$args': how");
    is($err, '', "'@$args': silent");
}


=== TEST 5: a missing file
--- check
my ($out, $err, $status) = vodtool('master', files_dir() . '/nosuch.mp4');
isnt($status, 0, 'exit status');
like($err, qr/nosuch\.mp4.*No such file/, 'the reason');


=== TEST 6: the dump of an index
--- check
my ($out, $err, $status) = vodtool('index', files_dir() . '/clip.mp4');
is($status, 0, 'exit status');
is($err, '', 'silent');
like($out, qr/v1/, 'the video track');
like($out, qr/a1/, 'the audio track');
like($out, qr/avc1/, 'its codec');
my ($long) = vodtool('index', '-v', files_dir() . '/clip.mp4');
my ($alt) = vodtool('-v', 'index', files_dir() . '/clip.mp4');
cmp_ok(length("$long$alt"), '>', length($out) + 90 * 10, 'with -v, samples');


=== TEST 7: left-out tracks are named
--- check
for my $row (fixtures('leftout')) {
    my ($out, $err, $status) = vodtool('index',
                                       "$VodTest::Fixtures/$row->{path}");
    is($status, 0, "$row->{path}: exit status");
    like("$out$err", qr/left out.*$row->{note}|$row->{note}.*left out/i,
         "$row->{path}: why");
}
