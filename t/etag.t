# Entity tags and version tokens: what they depend on, and what not.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;
use Test::Nginx::Socket 'no_plan';

no_shuffle();
run_tests();

__DATA__

=== TEST 1: each body has a tag of its own
--- check
my %body = %{ fetch_all('/clip.mp4') };
my %tags;
for my $name (sort keys %body) {
    push @{ $tags{ fetch("/clip.mp4/$name")->{headers}{etag} } }, $name;
}
is(keys %tags, keys %body, 'no two the same')
    or diag(join "\n", map { "@{ $tags{$_} }" } grep { @{ $tags{$_} } > 1 }
            keys %tags);


=== TEST 2: a copy with the same time has the same tags, and the same bytes
--- setup
mkdir files_dir() . '/copy';
copy_file(files_dir() . '/clip.mp4', files_dir() . '/copy/other.mp4');
--- check
my %first = %{ fetch_all('/clip.mp4') };
my %second = %{ fetch_all('/copy/other.mp4') };
is_deeply([sort keys %second], [sort keys %first], 'the same URLs below it');
is(grep({ $first{$_} ne $second{$_} } keys %first), 0, 'the same bytes');
for my $name (qw(master.m3u8 manifest.mpd v1/index.m3u8 v1/init.mp4 v1/1.m4s)) {
    is(fetch("/copy/other.mp4/$name")->{headers}{etag},
       fetch("/clip.mp4/$name")->{headers}{etag}, $name);
}


=== TEST 3: another time, to the nanosecond, is another tag
--- setup
copy_file(files_dir() . '/clip.mp4', files_dir() . '/later.mp4');
system('touch', '-d', '2020-01-01 00:00:00.000000001', files_dir() . '/later.mp4');
copy_file(files_dir() . '/clip.mp4', files_dir() . '/latest.mp4');
system('touch', '-d', '2020-01-01 00:00:00.000000002', files_dir() . '/latest.mp4');
--- check
for my $name (qw(master.m3u8 v1/init.mp4 v1/1.m4s)) {
    my %tags = map { fetch("/$_.mp4/$name")->{headers}{etag} => 1 }
        qw(clip later latest);
    is(keys %tags, 3, $name);
}
my %tokens = map { token_of("/$_.mp4/v1/index.m3u8") => 1 }
    qw(clip later latest);
is(keys %tokens, 3, 'tokens');


=== TEST 4: other content of the same size and time is another tag
--- setup
my $clip = slurp(files_dir() . '/clip.mp4');
my $at = index $clip, 'stts';
my ($count, $delta) = unpack 'NN', substr $clip, $at + 12, 8;
substr $clip, $at + 16, 4, pack 'N', $delta + 1;
write_file(files_dir() . '/changed.mp4', $clip);
system('touch', '-r', files_dir() . '/clip.mp4', files_dir() . '/changed.mp4');
--- check
is(-s files_dir() . '/changed.mp4', -s files_dir() . '/clip.mp4', 'as large');
isnt(token_of('/changed.mp4/v1/index.m3u8'), token_of('/clip.mp4/v1/index.m3u8'),
     'the index counts for the token');
isnt(fetch('/changed.mp4/v1/1.m4s')->{headers}{etag},
     fetch('/clip.mp4/v1/1.m4s')->{headers}{etag}, 'and for the tag');


=== TEST 5: settings that shape the bytes change tags, others do not
--- config
location /one/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FILES/;
}
location /six/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
location /read/ {
    vod on;
    vod_mmap off;
    sendfile off;
    expires 1h;
    alias $TEST_NGINX_FILES/;
}
--- check
for my $name (qw(master.m3u8 v1/index.m3u8 v1/1.m4s)) {
    my %tag = map { $_ => fetch("/$_/clip.mp4/$name")->{headers}{etag} }
        qw(one six read);
    isnt($tag{one}, $tag{six}, "$name: the duration counts");
    is($tag{six}, $tag{read}, "$name: the way of sending does not");
}
isnt(token_of('/one/clip.mp4/v1/index.m3u8'),
     token_of('/six/clip.mp4/v1/index.m3u8'), 'tokens');


=== TEST 6: tokens of one setting are stale under another
--- config
location /one/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_FILES/;
}
location /six/ {
    vod on;
    alias $TEST_NGINX_FILES/;
}
--- check
my $one = token_of('/one/clip.mp4/v1/index.m3u8');
is(fetch("/one/clip.mp4/v1/2-$one.m4s")->{status}, 200, 'fresh');
is(fetch("/six/clip.mp4/v1/1-$one.m4s")->{status}, 404, 'stale');


=== TEST 7: the same after a restart
--- check
write_file(files_dir() . '/tags', join "\n", map {
    fetch("/clip.mp4/$_")->{headers}{etag}
} qw(master.m3u8 manifest.mpd v1/init.mp4 v1/1.m4s a1/1.m4s));
--- after
ok(-s files_dir() . '/tags', 'kept for the next run');


=== TEST 8: the same after a restart, compared
--- check
is(join("\n", map { fetch("/clip.mp4/$_")->{headers}{etag} }
        qw(master.m3u8 manifest.mpd v1/init.mp4 v1/1.m4s a1/1.m4s)),
   slurp(files_dir() . '/tags'), 'tags');
