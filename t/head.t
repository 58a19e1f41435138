# HEAD: the headers of GET, and no media read.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

run_tests();

__DATA__

=== TEST 1: the headers of GET
--- check
my %body = %{ fetch_all('/clip.mp4') };
for my $name (sort keys %body) {
    my $get = fetch("/clip.mp4/$name");
    my $head = fetch("/clip.mp4/$name", method => 'HEAD');
    delete $_->{headers}{date} for $get, $head;
    is($head->{status}, 200, "$name: status");
    is($head->{content}, '', "$name: no body");
    is_deeply($head->{headers}, $get->{headers}, "$name: headers");
    is($get->{headers}{'content-length'}, length $get->{content},
       "$name: length");
}


=== TEST 2: no byte of the media is read for it
--- check
fetch('/clip.mp4/master.m3u8');
my $before = status_page()->{source_read_bytes};
for my $track (qw(v1 a1)) {
    for my $name (qw(index.m3u8 init.mp4 1.m4s 2.m4s 3.m4s)) {
        is(fetch("/clip.mp4/$track/$name", method => 'HEAD')->{status}, 200,
           "$track/$name");
    }
}
is(status_page()->{source_read_bytes}, $before, 'nothing was read');
fetch('/clip.mp4/v1/1.m4s');
cmp_ok(status_page()->{source_read_bytes}, '>', $before,
       'the counter counts (GET)');


=== TEST 3: HEAD builds the index as GET does
--- check
is(fetch('/clip.mp4/v1/1.m4s', method => 'HEAD')->{status}, 200, 'first of all');
is(status_page()->{index}{builds}, 1, 'one build');


=== TEST 4: HEAD of what is not there
--- check
is(fetch("/clip.mp4/$_", method => 'HEAD')->{status}, 404, $_)
    for qw(v1/99.m4s v9/init.mp4 nothing);
