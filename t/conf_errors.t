# Bad configurations: nginx does not start, and the line says why.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

# name, http level, location level, what the emerg line has to say

my @bad = (
    ['vod without a value', '', 'vod;',
     qr/invalid number of arguments in "vod" directive/],
    ['vod with another word', '', 'vod yes;',
     qr/invalid value "yes" in "vod" directive, it must be "on" or "off"/],
    ['vod twice', '', 'vod on; vod on;', qr/"vod" directive is duplicate/],
    ['vod at http level', 'vod on;', '',
     qr/"vod" directive is not allowed here/],

    ['vod_zone without a size', 'vod_zone;', '',
     qr/invalid number of arguments in "vod_zone" directive/],
    ['vod_zone with a word', 'vod_zone big;', '',
     qr/invalid (?:zone )?(?:size|value) ?"?(?:big)?"?/],
    ['vod_zone of nothing', 'vod_zone 0;', '', qr/vod_zone/],
    ['vod_zone too small', 'vod_zone 124k;', '',
     qr/"vod_zone" of 126976 bytes is too small, it must be 128k at least/],
    ['vod_zone negative', 'vod_zone -1m;', '', qr/vod_zone|invalid/],
    ['vod_zone twice', 'vod_zone 8m; vod_zone 8m;', '',
     qr/"vod_zone" directive is duplicate/],
    ['vod_zone in a location', '', 'vod_zone 8m;',
     qr/"vod_zone" directive is not allowed here/],

    ['vod_segment_duration without a value', '', 'vod_segment_duration;',
     qr/invalid number of arguments in "vod_segment_duration" directive/],
    ['vod_segment_duration of nothing', '', 'vod_segment_duration 0;',
     qr/vod_segment_duration.*(?:1s|between)/],
    ['vod_segment_duration under a second', '', 'vod_segment_duration 999ms;',
     qr/vod_segment_duration.*(?:1s|between)/],
    ['vod_segment_duration over a minute', '', 'vod_segment_duration 61s;',
     qr/vod_segment_duration.*(?:60s|between)/],
    ['vod_segment_duration a word', '', 'vod_segment_duration long;',
     qr/"vod_segment_duration" directive invalid value/],
    ['vod_segment_duration twice', '',
     'vod_segment_duration 6s; vod_segment_duration 6s;',
     qr/"vod_segment_duration" directive is duplicate/],
    ['vod_segment_duration out of range at http level',
     'vod_segment_duration 2m;', '', qr/vod_segment_duration.*(?:60s|between)/],

    ['vod_mmap with another word', '', 'vod_mmap sometimes;',
     qr/invalid value "sometimes" in "vod_mmap" directive/],
    ['vod_mmap twice', '', 'vod_mmap on; vod_mmap off;',
     qr/"vod_mmap" directive is duplicate/],

    ['vod_status with a value', '', 'vod_status on;',
     qr/invalid number of arguments in "vod_status" directive/],
    ['vod_status beside vod', '', 'vod on; vod_status;',
     qr/"vod_status" directive is incompatible with "vod on"/],
    ['vod beside vod_status', '', 'vod_status; vod on;',
     qr/"vod" directive is incompatible with "vod_status"/],

    (map { my ($name, $bad, $why) = @$_;
           (["$name without a value", "$name;", '',
             qr/invalid number of arguments in "$name" directive/],
            ["$name a word", "$name many;", '', qr/invalid (?:value|number)/],
            ["$name out of range", "$name $bad;", '', $why],
            ["$name twice", "$name 20; $name 20;", '',
             qr/"$name" directive is duplicate/],
            ["$name in a location", '', "$name 20;",
             qr/"$name" directive is not allowed here/]) }
         ['vod_max_index_size', 0, qr/"vod_max_index_size" must not be 0/],
         ['vod_segment_memory', '1x', qr/invalid value/],
         ['vod_max_samples', 0, qr/value must be .*1 and 2147483647/],
         ['vod_max_tracks', 257, qr/value must be .*1 and 256/],
         ['vod_max_segments', 1048577, qr/value must be .*1 and 1048576/],
         ['vod_max_builds', 0, qr/value must be .*1 and 65536/],
         ['vod_max_waiting', 1048577, qr/value must be .*0 and 1048576/],
         ['vod_index_timeout', '999ms',
          qr/"vod_index_timeout" must be between 1s and 10m/]),

    ['vod_quarantine without a value', 'vod_quarantine;', '',
     qr/invalid number of arguments in "vod_quarantine" directive/],
    ['vod_quarantine a word', '', 'vod_quarantine long;',
     qr/invalid value/],
    ['vod_quarantine twice', '', 'vod_quarantine 1m; vod_quarantine 2m;',
     qr/"vod_quarantine" directive is duplicate/],

    ['vod_status at http level', 'vod_status;', '',
     qr/"vod_status" directive is not allowed here/],
);

my $log = "$ENV{TEST_NGINX_SERVROOT}-conf.log";
my $conf = "$ENV{TEST_NGINX_SERVROOT}-nginx.conf";

for my $case (@bad) {
    my ($name, $http, $location, $expected) = @$case;
    my ($status, $said) = start($http, $location);

    isnt($status, 0, "$name: does not start");
    like($said, qr/\[emerg\].*$expected/, "$name: says why");
    like($said, qr/\[emerg\].* in \S+:\d+$/m, "$name: says where");
    unlike($said, qr/AddressSanitizer|runtime error/, "$name: cleanly");
}

my ($status, $said) = start('', 'vod on;');
is($status, 0, 'the template itself is good') or diag($said);

($status, $said) = start('vod_zone 128k;', 'vod off; vod_status;');
is($status, 0, 'the smallest zone, a status where vod is off') or diag($said);


sub start {
    my ($http, $location) = @_;

    write_file($log, '');
    write_file($conf, <<"_EOC_");
load_module $VodTest::Module;
error_log $log;
pid $conf.pid;
events { }
http {
    $http
    server {
        listen 127.0.0.1:$ENV{TEST_NGINX_SERVER_PORT};
        location / {
            $location
        }
    }
}
_EOC_

    local $ENV{LD_PRELOAD} = $ENV{TEST_NGINX_LD_PRELOAD} // '';
    my (undef, $err, $status) = capture($ENV{TEST_NGINX_BINARY}, '-t', '-e',
                                        $log, '-c', $conf);

    return ($status, slurp($log) . $err);
}
