# The oracle is worth what it notices: damage done to what was fetched has to
# be reported, and by the check that is there for it.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: nothing is reported where nothing is wrong
--- check
my ($out, $err, $status) = python('oracle.py', '--base', base_url(),
    '--asset', '/clip.mp4', '--source', files_dir() . '/clip.mp4',
    '--no-decode');
is($status, 0, 'exit status');
is($err, '', 'silent');
unlike($out, qr/^not ok/m, 'no check fails');
cmp_ok(() = $out =~ /^ok/mg, '>', 30, 'many pass');


=== TEST 2: each damage is reported
--- check
my %damage = (
    'tfdt+1' => qr/presentation times/,
    'tfdt-1' => qr/presentation times/,
    'drop-last' => qr/samples of the edit in order/,
    'swap' => qr/packets of the demuxer in order/,
    'flip' => qr/packets of the demuxer in order/,
    'composition' => qr/presentation times/,
    'duration' => qr/sample durations/,
    'header' => qr/presentation times/,
    'lose-segment' => qr/samples of the edit in order/,
    'extinf' => qr/sums of EXTINF are the real times/,
);

for my $name (sort keys %damage) {
    for my $track (qw(v1 a1)) {
        next if $name eq 'composition' && $track eq 'a1';
        my ($out, $err, $status) = python('oracle.py', '--base', base_url(),
            '--asset', '/clip.mp4', '--source', files_dir() . '/clip.mp4',
            '--no-decode', '--mutate', $name, '--track', $track);
        is($status, 1, "$name of $track: exit status") or diag($err);
        like($out, qr/^not ok\t$track: $damage{$name}/m,
             "$name of $track is reported");
    }
}


=== TEST 3: the last sample of the last segment, and the first segment
--- check
for my $case (['drop-last', 'v1', 3], ['drop-last', 'a1', 3], ['tfdt+1', 'v1', 1],
              ['swap', 'a1', 1])
{
    my ($name, $track, $segment) = @$case;
    my ($out, $err, $status) = python('oracle.py', '--base', base_url(),
        '--asset', '/clip.mp4', '--source', files_dir() . '/clip.mp4',
        '--no-decode', '--mutate', $name, '--track', $track,
        '--segment', $segment);
    is($status, 1, "$name of segment $segment of $track") or diag($err);
    like($out, qr/^not ok\t$track: (?:samples of|presentation)/m, 'is reported');
}


=== TEST 4: the wrong source
--- check
my ($out, $err, $status) = python('oracle.py', '--base', base_url(),
    '--asset', '/clip.mp4', '--source', "$VodTest::Fixtures/vfr.mp4",
    '--no-decode');
is($status, 1, 'exit status');
like($out, qr/^not ok\tv1: packets of the demuxer in order/m, 'packets');


=== TEST 5: payload that does not decode
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FILES;
}
--- setup
my $clip = slurp(files_dir() . '/clip.mp4');
my $at = index($clip, 'mdat') + 4;
substr($clip, $at + 100, 20000) = "\xff" x 20000;
write_file(files_dir() . '/noise.mp4', $clip);
--- check
my ($out, $err, $status) = python('oracle.py', '--base', base_url(),
    '--asset', '/noise.mp4', '--source', files_dir() . '/noise.mp4');
is($status, 1, 'exit status');
like($out, qr/^not ok\tv1: decodes without a word/m, 'decoding');
unlike($out, qr/^not ok\tv1: (?:samples|presentation)/m,
       'and only that: the packets are as in the source');


=== TEST 6: damage to what comes of a source that is no MP4
--- config
location / {
    vod on;
    vod_segment_duration 2s;
    root $TEST_NGINX_FIXTURES;
}
--- check
my %damage = (
    'tfdt+1' => qr/presentation times/,
    'tfdt-1' => qr/presentation times/,
    'drop-last' => qr/packets of the demuxer in order/,
    'swap' => qr/packets of the demuxer in order/,
    'flip' => qr/packets of the demuxer in order/,
    'composition' => qr/presentation times/,
    'duration' => qr/presentation times/,
    'header' => qr/presentation times/,
    'lose-segment' => qr/packets of the demuxer in order/,
    'extinf' => qr/sums of EXTINF are the real times/,
);

for my $name ('', sort keys %damage) {
    for my $track (qw(v1 a1)) {
        next if $name eq 'composition' && $track eq 'a1';
        my ($out, $err, $status) = python('oracle.py', '--base', base_url(),
            '--asset', '/mpegts.ts', '--source',
            "$VodTest::Fixtures/mpegts.ts", '--no-decode', '--track', $track,
            $name eq '' ? () : ('--mutate', $name));
        is($status, $name eq '' ? 0 : 1, "'$name' of $track: exit status")
            or diag("$out$err");
        like($out, qr/^not ok\t$track: $damage{$name}/m,
             "$name of $track is reported") if $name ne '';
    }
}
