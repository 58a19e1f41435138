# What monitoring sees: the text of the status page through the parser of
# Prometheus' own client library, what is counted for what, and the dashboard
# and rules of tools/monitoring, which ask for no other names.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

our $Parser = "$FindBin::Bin/lib/metrics.py";

# Debian's modules are found by Debian's Python

our ($Python) = grep { !(capture($_, '-c', 'import prometheus_client, yaml'))[2] }
    'python3', '/usr/bin/python3';

if (!$Python) {
    skip_suite('python3-prometheus-client or python3-yaml is not there');
}

$ENV{PYTHONDONTWRITEBYTECODE} = 1;

sub parsed {
    my ($form, $text) = @_;
    my $path = files_dir() . "/metrics.$form";

    write_file($path, $text);
    my ($out, $err, $status) = capture($Python, $Parser, $form, $path);

    die "$form: $err" if $status != 0;

    return JSON::PP::decode_json($out);
}

sub metrics { return parsed('text', fetch('/status?format=prometheus')->{content}) }

# the names that dashboard and rules of a folder ask for

sub used {
    my $folder = shift;
    my ($out, $err, $status) = capture($Python, $Parser, 'used', $folder);

    die "$folder: $err" if $status != 0;

    return JSON::PP::decode_json($out);
}

# the samples of a name whose labels have these values

sub samples {
    my ($metrics, $name, %labels) = @_;

    return grep {
        my $sample = $_;
        $sample->{name} eq $name
            && !grep { ($sample->{labels}{$_} // '') ne $labels{$_} } keys %labels;
    } @{ $metrics->{samples} };
}

sub value {
    my @found = samples(@_);

    return @found == 1 ? $found[0]{value} : undef;
}

no_shuffle();
run_tests();

__DATA__

=== TEST 1: Prometheus' own parser takes the text
--- check
fetch("/clip.mp4/$_") for qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4
    v1/1.m4s v1/2.m4s nothing v1/999.m4s);
my $metrics = metrics();
is($metrics->{families}{vod_requests}, 'counter', 'a counter');
is($metrics->{families}{vod_in_flight}, 'gauge', 'a gauge');
is($metrics->{families}{vod_request_duration_seconds}, 'histogram', 'a histogram');
is_deeply($metrics->{undocumented}, [], 'each says what it is');
is(value($metrics, 'vod_requests_total', kind => 'segment'), 3, 'requests');
is(value($metrics, 'vod_errors_total', error => 'not_found'), 2, 'errors');
my ($info) = samples($metrics, 'vod_build_info');
is($info->{value}, 1, 'build info');
my $status = status_page();
is($info->{labels}{$_}, $status->{$_}, "its $_") for qw(version nginx libavformat);


=== TEST 2: and OpenMetrics' the other form, where it is accepted
--- check
fetch('/clip.mp4/v1/1.m4s');
my $accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.1';
my $answer = fetch('/status?format=prometheus', Accept => $accept);
is($answer->{headers}{'content-type'},
   'application/openmetrics-text; version=1.0.0; charset=utf-8', 'type');
my $metrics = parsed('openmetrics', $answer->{content});
is($metrics->{families}{vod_requests}, 'counter', 'a counter');
is(value($metrics, 'vod_requests_total', kind => 'segment'), 1, 'its sample');
like($answer->{content}, qr/\n# EOF\n\z/, 'the end is marked');
my $plain = fetch('/status?format=prometheus', Accept => 'text/plain');
is($plain->{headers}{'content-type'}, 'text/plain; version=0.0.4; charset=utf-8',
   'and only there');
unlike($plain->{content}, qr/EOF/, 'no mark');


=== TEST 3: promtool has nothing to say, where there is one
--- check
SKIP: {
    skip 'no promtool here', 2 if !have_command('promtool');
    fetch('/clip.mp4/v1/1.m4s');
    my $path = files_dir() . '/metrics.text';
    write_file($path, fetch('/status?format=prometheus')->{content});
    my $said = `promtool check metrics < '$path' 2>&1`;
    is($? . $said, '0', 'metrics');
    my $rules = "$FindBin::Bin/../tools/monitoring/alerts.yml";
    $said = `promtool check rules '$rules' 2>&1`;
    is($?, 0, 'rules') or diag($said);
}


=== TEST 4: buckets, sums and bytes of what was answered
--- check
my @bodies = map { length fetch("/clip.mp4/v1/$_.m4s")->{content} } 1, 2, 3;
my %labels = (kind => 'segment', cache => 'hit');
my $metrics = metrics();
is(value($metrics, 'vod_sent_bytes_total', %labels), $bodies[1] + $bodies[2],
   'bytes of two');
is(value($metrics, 'vod_sent_bytes_total', %labels, cache => 'miss'), $bodies[0],
   'of the one that built');
for my $name ('vod_request_duration_seconds', 'vod_first_byte_seconds') {
    is(value($metrics, "${name}_count", %labels), 2, "$name: two");
    my @buckets = map { $_->{value} } samples($metrics, "${name}_bucket", %labels);
    is(@buckets, 15, "$name: buckets");
    is_deeply(\@buckets, [sort { $a <=> $b } @buckets], "$name: they only grow");
    is($buckets[-1], 2, "$name: the last has all");
    is(value($metrics, "${name}_bucket", %labels, le => '+Inf'), 2, "$name: +Inf");
}
is(value($metrics, 'vod_index_build_seconds_count'), 1, 'one build');
cmp_ok(value($metrics, 'vod_thread_wait_seconds_count'), '>=', 1, 'a task');


=== TEST 5: a request that takes a second is in the buckets from there on
--- config
location / {
    vod on;
    vod_segment_duration 1s;
    root $TEST_NGINX_FIXTURES;
}
location = /status { vod_status; }
--- check
hold('long.mp4');
my @sockets = ask_all('/long.mp4/master.m3u8', '/long.mp4/v1/index.m3u8');
waiting(1);
select undef, undef, undef, 1.2;
is(value(metrics(), 'vod_waiting'), 1, 'one waits');
is(value(metrics(), 'vod_in_flight'), 2, 'two are being answered');
release('long.mp4');
is($_->{status}, 200, 'answered') for read_all(@sockets);
my $metrics = metrics();
for my $answer ([qw(master miss)], [qw(media wait)]) {
    my %labels = (kind => $answer->[0], cache => $answer->[1]);
    my $name = 'vod_request_duration_seconds';
    is(value($metrics, "${name}_bucket", %labels, le => '1.0'), 0, "@$answer: 1 s");
    is(value($metrics, "${name}_bucket", %labels, le => '30.0'), 1, "@$answer: 30 s");
    my $seconds = value($metrics, "${name}_sum", %labels);
    cmp_ok($seconds, '>=', 1.19, "@$answer: sum");
    cmp_ok($seconds, '<', 25, "@$answer: sum");
}
cmp_ok(value($metrics, 'vod_index_build_seconds_sum'), '>=', 1, 'the build took it');
is(value($metrics, 'vod_waiting'), 0, 'none waits');


=== TEST 6: all workers, and those that have gone
--- workers: 4
--- check
request_all(map { "/clip.mp4/v1/$_.m4s" } (1, 2, 3) x 20);
fetch('/clip.mp4/v1/1.m4s');
my $count = sub {
    my $sum = 0;
    $sum += $_->{value} for samples(metrics(), 'vod_request_duration_seconds_count',
                                    kind => 'segment');
    return $sum;
};
ok(wait_for(sub { $count->() == 61 }, 10), 'each is counted once');
my @old = worker_pids();
kill 'HUP', nginx_pid();
ok(wait_for(sub { my %is = map { $_ => 1 } worker_pids();
                  return %is && !grep { $is{$_} } @old }, 20), 'others by now');
fetch('/clip.mp4/v1/1.m4s');
ok(wait_for(sub { $count->() == 62 }, 10), 'what the first did is kept');


=== TEST 7: the dashboard and the rules ask for what there is
--- check
fetch('/clip.mp4/v1/1.m4s');
my %there = map { $_->{name} => 1 } @{ metrics()->{samples} };
my $folder = "$FindBin::Bin/../tools/monitoring";
my $used = used($folder);
for my $file (qw(dashboard.json alerts.yml)) {
    my @names = @{ $used->{$file}{names} };
    cmp_ok(scalar @names, '>=', 5, "$file: names");
    is_deeply([grep { !$there{$_} } @names], [], "$file: each is there");
}
cmp_ok($used->{'dashboard.json'}{panels}, '>=', 10, 'panels');
cmp_ok($used->{'alerts.yml'}{rules}, '>=', 5, 'rules');
is_deeply($used->{'alerts.yml'}{incomplete}, [], 'each says what to do');


=== TEST 8: README.md lists every metric, code and label, and no others
--- check
fetch('/clip.mp4/v1/1.m4s');
my $status = status_page();
my $readme = slurp("$FindBin::Bin/../README.md");
my %named = map { $_ => 1 } $readme =~ /`(vod_\w+?)(?:_count|_sum|_bucket)?[`{]/g;
my $families = metrics()->{families};
for my $name (sort keys %$families) {
    my $full = $families->{$name} eq 'counter' ? "${name}_total" : $name;
    ok($named{$full}, "$full is in README.md");
}
for my $code (sort keys %{ $status->{errors} }) {
    like($readme, qr/^\| `$code` \|/m, "$code is in README.md");
}
for my $bound (@{ $status->{buckets} }) {
    like($readme, qr/^Buckets end at .*\b\Q@{[$bound + 0]}\E\b/ms, "bucket $bound");
}
