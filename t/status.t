# The status page.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
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
          [sort qw(version index zone requests quarantined in_flight
                   source_read_bytes
                   waiting shed)], 'top level');
is_deeply([sort keys %{ $status->{index} }],
          [sort qw(builds building hits misses waits failures uncached)], 'index');
is_deeply([sort keys %{ $status->{zone} }],
          [sort qw(size entries evictions free_pages)], 'zone');
is_deeply([sort keys %{ $status->{requests} }],
          [sort qw(master manifest media init segment iframes other)], 'requests');
like($status->{version}, qr/^\d+\.\d+\.\d+/, 'version');


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

    } elsif ($line =~ /^# HELP \w+ \S/) {
        next;

    } elsif ($line =~ /^(\w+)(\{kind="(\w+)"\})? (\d+)$/) {
        ok(exists $type{$1}, "$1 has a type before it") if !defined $2;
        $value{ defined $3 ? "$1.$3" : $1 } = $4;

    } else {
        fail("line '$line'");
    }
}

my %wanted = (
    (map { ("vod_index_${_}_total" => $json->{index}{$_}) }
        qw(builds hits misses waits failures uncached)),
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
