# The status page.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use POSIX ();
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: JSON
--- request
GET /status
--- response_headers
Content-Type: application/json
--- check
my $status = status_page();
is_deeply([sort keys %$status],
          [sort qw(version nginx libavformat index zone requests quarantined
                   in_flight source_read_bytes waiting shed errors index_failures buckets
                   index_build thread_wait responses)], 'top level');
is_deeply([sort keys %{ $status->{index} }],
          [sort qw(builds building hits misses waits failures uncached)], 'index');
is_deeply([sort keys %{ $status->{zone} }],
          [sort qw(size used_bytes free_bytes free_pages entries evictions
                   restarts)], 'zone');
is_deeply([sort keys %{ $status->{requests} }],
          [sort qw(master manifest media init segment iframes text other)], 'requests');
like($status->{$_}, qr/^\d+\.\d+\.\d+/, $_) for qw(version nginx libavformat);
is(@{ $status->{buckets} } + 1, @{ $status->{index_build}{buckets} },
   'a bucket more than bounds');
is_deeply($status->{responses}, {}, 'nothing was answered');
is($status->{zone}{free_pages} * POSIX::sysconf(POSIX::_SC_PAGESIZE()),
   $status->{zone}{free_bytes}, 'free pages, bytes');


=== TEST 2: counters count
--- check
my $before = status_page();
is($before->{index}{builds}, 0, 'nothing yet');
is($before->{zone}{entries}, 0, 'an empty zone');

fetch("/clip.mp4/$_") for qw(master.m3u8 manifest.mpd v1/index.m3u8 a1/index.m3u8
    v1/init.mp4 v1/1.m4s v1/2.m4s a1/1.m4s);
fetch('/nothing');
fetch('/fixtures/mpeg2.mp4/master.m3u8');

my $after = status_page();
is($after->{index}{builds} - $after->{index}{failures}, 1, 'one build');
is($after->{index}{failures}, 1, 'one failure');
is($after->{index}{hits}, 7, 'hits');
is($after->{index}{uncached}, 0, 'none without room');
is($after->{requests}{manifest}, 1, 'manifests');
is($after->{requests}{media}, 2, 'media playlists');
is($after->{requests}{init}, 1, 'headers');
is($after->{requests}{segment}, 3, 'segments');
is($after->{requests}{master}, 2, 'multivariant playlists');
is($after->{requests}{other}, 1, 'names that are none of them');
cmp_ok($after->{zone}{entries}, '>', 0, 'something in the zone');
cmp_ok($after->{zone}{free_pages}, '<', $before->{zone}{free_pages},
       'which takes pages');
cmp_ok($after->{source_read_bytes}, '>', 0, 'bytes were read');
is($after->{waiting}, 0, 'nobody waits');
is($after->{shed}, 0, 'nobody was shed');
is($after->{zone}{used_bytes} + $after->{zone}{free_bytes},
   $before->{zone}{used_bytes} + $before->{zone}{free_bytes},
   'what is used is no longer free');
is($after->{index_build}{count}, 2, 'the time of each build');
cmp_ok($after->{index_build}{seconds}, '>', 0, 'which is some');
is($after->{index_failures}{unsupported}, 1, 'why it failed');
is($after->{errors}{unsupported}, 1, 'and the request with it');
is($after->{errors}{not_found}, 1, 'a name that is none');
cmp_ok($after->{thread_wait}{count}, '>=', 2, 'tasks');
my %answered;
for my $kind (keys %{ $after->{responses} }) {
    for my $cache (keys %{ $after->{responses}{$kind} }) {
        $answered{"$kind $cache"} =
            $after->{responses}{$kind}{$cache}{duration}{count};
    }
}
is_deeply(\%answered, {
    'master miss' => 1, 'manifest hit' => 1, 'media hit' => 2, 'init hit' => 1,
    'segment hit' => 3, 'other none' => 1, 'master none' => 1,
}, 'how each was answered');
is($after->{responses}{segment}{hit}{first_byte}{count}, 3, 'headers');
is($after->{responses}{other}{none}{first_byte}{count}, 0, 'none of an error');


=== TEST 3: Prometheus
--- request
GET /status?format=prometheus
--- response_headers_like
Content-Type: text/plain; version=0\.0\.4.*
--- check
fetch('/clip.mp4/v1/1.m4s');
my $text = fetch('/status?format=prometheus')->{content};
my $json = status_page();
my %type;
my %value;
for my $line (split /\n/, $text) {
    if ($line =~ /^# TYPE (\w+) (counter|gauge)$/) {
        $type{$1} = $2;

    } elsif ($line =~ /^# TYPE (\w+) histogram$/) {
        $type{"$1_$_"} = 'histogram' for qw(bucket sum count);

    } elsif ($line =~ /^# HELP \w+ \S/) {
        next;

    } elsif ($line =~ /^(\w+)(\{(?:kind|error)="(\w+)"\})? (\d+)$/) {
        fail("$1 has no type before it") if !exists $type{$1};
        $value{ defined $3 ? "$1.$3" : $1 } = $4;

    } elsif ($line =~ /^(\w+)\{\w+="[^"]+"(?:,\w+="[^"]+")*\} [\d.]+$/
             || $line =~ /^(\w+) \d+\.\d{6}$/)
    {
        fail("$1 has no type before it") if !exists $type{$1};

    } else {
        fail("line '$line'");
    }
}

my %wanted = (
    (map { ("vod_index_${_}_total" => $json->{index}{$_}) }
        qw(builds hits misses waits uncached)),
    (map { ("vod_errors_total.$_" => $json->{errors}{$_}) }
        keys %{ $json->{errors} }),
    (map { ("vod_index_failures_total.$_" => $json->{index_failures}{$_}) }
        keys %{ $json->{index_failures} }),
    vod_zone_used_bytes => $json->{zone}{used_bytes},
    vod_zone_free_bytes => $json->{zone}{free_bytes},
    vod_zone_restarts_total => 0,
    vod_index_building => 0,
    vod_zone_size_bytes => $json->{zone}{size},
    vod_zone_entries => $json->{zone}{entries},
    vod_zone_evictions_total => $json->{zone}{evictions},
    vod_zone_free_pages => $json->{zone}{free_pages},
    vod_source_read_bytes_total => $json->{source_read_bytes},
    vod_waiting => 0, vod_shed_total => 0,
    (map { ("vod_requests_total.$_" => $json->{requests}{$_}) }
        qw(master manifest media init segment other)),
);
is($value{$_}, $wanted{$_}, $_) for sort keys %wanted;
ok(exists $value{vod_in_flight}, 'vod_in_flight');
is($type{vod_in_flight}, 'gauge', 'a gauge');
is($type{vod_index_builds_total}, 'counter', 'a counter');
like($text, qr/\n\z/, 'the last line is ended');


=== TEST 4: the same for all workers
--- workers: 4
--- check
request_all(map { "/clip.mp4/v1/$_.m4s" } (1, 2, 3) x 20);
my %builds = map { (JSON::PP::decode_json($_->{content})->{index}{builds} => 1) }
    request_all(('/status') x 12);
is_deeply([keys %builds], [1], 'one number');


=== TEST 5: methods, HEAD, no caching
--- check
is(fetch('/status', method => 'HEAD')->{status}, 200, 'HEAD');
is(fetch('/status', method => 'POST', body => 'x')->{status}, 405, 'POST');
is(fetch('/status?format=unknown')->{status}, 200, 'an unknown format is JSON');
