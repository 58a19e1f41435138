# One build for any number of simultaneous first requests, in all workers.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use VodHeld;
use Test::Nginx::Socket 'no_plan';

$Test::Nginx::Util::ReusePort = 1;

run_tests();

__DATA__

=== TEST 1: 200 first requests to 4 workers build one index
--- workers: 4
--- http_config
log_format workers '$pid $status $vod_cache';
--- config
location / {
    vod on;
    root $TEST_NGINX_FIXTURES;
    access_log $TEST_NGINX_SERVER_ROOT/logs/workers.log workers;
}
location = /status { vod_status; }
--- check
my @names = qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4 v1/1.m4s
               a1/index.m3u8 a1/init.mp4 a1/1.m4s);
my @urls = map { "/long.mp4/$names[$_ % @names]" } 1 .. 200;
hold('long.mp4');
my @sockets = ask_all(@urls);
is(scalar(held('long.mp4')), 1, 'one worker reads the file');
waiting(199, 'the others wait');
release('long.mp4');
my @answers = read_all(@sockets);

is(grep({ $_->{status} == 200 } @answers), 200, 'all are served');
my %by_url;
$by_url{ $urls[$_] }{ sha($answers[$_]{content}) } = 1 for 0 .. $#urls;
is(grep({ keys %$_ != 1 } values %by_url), 0, 'each URL with the same bytes');

my $status = status_page();
is($status->{index}{builds}, 1, 'one build');
is($status->{index}{failures}, 0, 'no failure');
is($status->{waiting}, 0, 'nobody waits any more');
in_flight(0);
is($status->{index}{waits}, 199, '199 waited');
is($status->{index}{misses}, 200, 'each was a miss');
is($status->{index}{hits}, 0, 'none a hit');

my $log;
wait_for(sub {
    $log = slurp("$ENV{TEST_NGINX_SERVROOT}/logs/workers.log");
    return 200 == (() = $log =~ /\n/g);
}, 10);
my %workers = map { /^(\d+)/ ? ($1 => 1) : () } split /\n/, $log;
cmp_ok(keys %workers, '>=', 2, 'several workers took part');
is(() = $log =~ / MISS$/mg, 1, 'one says that it missed');
is(() = $log =~ / WAIT$/mg, 199, 'the others that they waited');


=== TEST 2: the same without a helping hand: as it comes
--- workers: 4
--- check
for my $round (1 .. 5) {
    copy_file("$VodTest::Fixtures/long.mp4", files_dir() . "/as$round.mp4");
    my @answers = request_all(("/as$round.mp4/master.m3u8") x 200);
    is(grep({ $_->{status} == 200 } @answers), 200, "round $round");
    is(status_page()->{index}{builds}, $round, 'one build');
}


=== TEST 3: clients that leave while they wait
--- workers: 2
--- check
for my $round (1 .. 10) {
    my $copy = "left$round.mp4";
    copy_file("$VodTest::Fixtures/long.mp4", files_dir() . "/$copy");
    utime 1500000000 + $round, 1500000000 + $round, files_dir() . "/$copy";
    my @sockets;
    for (1 .. 20) {
        my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $ENV{TEST_NGINX_SERVER_PORT}) or die;
        print $socket "GET /$copy/v1/1.m4s HTTP/1.0\r\n\r\n";
        $socket->flush;
        push @sockets, $socket;
    }
    close $_ for @sockets;
}
in_flight(0);
waiting(0);
is(fetch("/left$_.mp4/v1/1.m4s")->{status}, 200, "left$_ afterwards") for 1, 5, 10;
