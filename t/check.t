# vodtool check says of every file what the server does with it.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: the verdict is the server's, for every fixture
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
}
--- check
my %exit = (exact => 0, leftout => 1, partial => 1, refuse => 2);
my %says = (exact => 'plays exactly', leftout => 'plays with tracks left out',
            partial => 'plays', refuse => 'cannot be served');
my @rows = fixtures(qw(exact leftout partial refuse));
my @runs = vodtools(map { ['check', "$VodTest::Fixtures/$_->{path}"] } @rows);

for my $n (0 .. $#rows) {
    my ($path, $expect) = @{ $rows[$n] }{qw(path expect)};
    my ($out, $err, $status) = @{ $runs[$n] };
    my $file = "$VodTest::Fixtures/$path";
    is($status, $exit{$expect}, "$path: exit status") or diag($out);
    is($err, '', "$path: silent");
    like($out, qr/\A\Q$file: $says{$expect}\E/, "$path: verdict");

    my $answer = fetch(asset($path, '/') . '/master.m3u8');
    is($answer->{status}, $status == 2 ? 422 : 200, "$path: the server");

    my @said = $out =~ /^  (?:reason|warning) +(.*)/mg;
    my @logged = map { /vod: (.*?)(?: while reading media index)?(?:, client: .*)?\n/ }
        grep { index($_, "\"$file\" vod: ") >= 0 } error_log_lines();
    is("@said", "@logged", "$path: the reasons");
    like("@said", qr/$rows[$n]{note}/i, "$path: what they are")
        if $expect ne 'exact';
}


=== TEST 2: what it says of a file that plays
--- check
my ($out) = vodtool('check', files_dir() . '/clip.mp4');
like($out, qr/^  container  mp4, 82344 bytes, 0:00:03\.003$/m, 'container');
like($out, qr/^  v1 +avc1\.64000d, 320x180, 29\.970 pictures\/s$/m, 'video');
like($out, qr/a key frame every 1\.001 s, from 1\.001 to 1\.001/, 'key frames');
like($out, qr/^  a1 +mp4a\.40\.2, 48000 Hz, 2 channels, language und$/m,
     'audio');
like($out, qr{0:00:00\.000 to 0:00:03\.003, 1 segment, 144\.3 kbit/s}, 'rate');
unlike($out, qr/advice/, 'nothing to mend');


=== TEST 3: key frames too far apart
--- check
my ($out, $err, $status) = vodtool('check',
                                   "$VodTest::Fixtures/long-gop.mp4");
is($status, 0, 'it plays');
like($out, qr/^  advice +a segment lasts 12\.0\d\d s, 6\.000 are wanted/m,
     'advice');
($out) = vodtool('-d', '20', 'check', "$VodTest::Fixtures/long-gop.mp4");
unlike($out, qr/advice/, 'not where that is wanted');


=== TEST 4: several files, the worst of them counts
--- check
my ($exact, $partly, $refused) = map { "$VodTest::Fixtures/$_" }
    qw(video-only.mp4 timecode.mov empty.mp4);
for my $case ([0, $exact, $exact], [1, $exact, $partly],
              [2, $refused, $exact], [2, $partly, '/nosuch/file'])
{
    my ($expected, @files) = @$case;
    my ($out, $err, $status) = vodtool('check', @files);
    is($status, $expected, "exit status $expected");
    like($out, qr/^\Q$_\E: /m, 'a verdict') for @files;
}
my ($out) = vodtool('check', '/nosuch/file');
like($out, qr{^/nosuch/file: cannot be served\n  reason +No such file}m,
     'why');
