# Files made by others.  t/e2e/corpus.tsv says by SHA-256 what each deserves;
# all of them, and those it does not know, are played over HLS and DASH and
# judged by the oracle.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    if (! -d $VodTest::Media || !glob("$VodTest::Media/*")) {
        skip_suite('no folder of media (VOD_MEDIA)');
    }
    $ENV{TEST_NGINX_MEDIA} = $VodTest::Media;
}

use Test::Nginx::Socket 'no_plan';

# What is expected of each file, by path below the folder.

my %known;
for my $line (split /\n/, slurp(source_dir() . '/t/e2e/corpus.tsv')) {
    my @fields = split /\t/, $line;
    @{ $known{ $fields[0] } }{qw(expect video audio container note name)}
        = @fields[1 .. 6];
}

our %expected;
for my $path (media_files($VodTest::Media)) {
    $expected{$path} = $known{ sha(slurp("$VodTest::Media/$path")) }
        // { expect => 'unknown', note => '-' };
}

our @paths = sort keys %expected;

sub media_files {
    my ($folder, $below) = @_;
    my @found;

    opendir my $dir, $folder or die "$folder: $!";
    for my $name (grep { !/^\./ } readdir $dir) {
        my $path = defined $below ? "$below/$name" : $name;
        push @found, -d "$folder/$name" ? media_files("$folder/$name", $path)
            : $name =~ /^(?:INDEX\.tsv|README\.md)$/ ? () : $path;
    }
    closedir $dir;

    return @found;
}

# The lines of the error log about a file, as vodtool check has them.

sub log_of {
    my $mark = "\"$VodTest::Media/$_[0]\" vod: ";

    return join '', map { /" vod: (.*?)(?: while reading media index)?, client: /
                          ? "$1\n" : () }
        grep { index($_, $mark) >= 0 } error_log_lines();
}

# SHA-256 of every body that the first server has sent, for the second.

our %first;

run_tests();

__DATA__

=== TEST 1: each is served, in part or refused, as it deserves
--- workers: 2
--- config
location /whole/ {
    vod on;
    aio threads;
    alias $TEST_NGINX_MEDIA/;
}
location /second/ {
    vod on;
    vod_segment_duration 1s;
    alias $TEST_NGINX_MEDIA/;
}
--- check
my $index = files_dir() . '/corpus.tsv';
my @rows = ("path\texpect\tvideo\taudio\tnote");
my @runs = vodtools(map { ['check', "$VodTest::Media/$_"] } @main::paths);
my %exit = (exact => 0, leftout => 1, partial => 1, refuse => 2);
my %said = (exact => qr/\A\z/, leftout => qr/ left out: /, partial => qr/./);
my $n = 0;

for my $path (@main::paths) {
    my $want = $main::expected{$path};
    my $expect = $want->{expect};
    my $answer = fetch(asset($path, '/whole/') . '/master.m3u8');
    my $log = main::log_of($path);

    if ($expect eq 'unknown') {
        like($answer->{status}, qr/^(?:200|422)$/, "$path: an answer");
        push @rows, "$path\texact\t-\t-\t-" if $answer->{status} == 200;

    } else {
        is($answer->{status}, $expect eq 'refuse' ? 422 : 200,
           "$path: $expect") or diag($log);
        like($log, $said{$expect}, "$path: $expect, and why")
            if $said{$expect};
        like($log, qr/$want->{note}/i, "$path: the reason")
            if $want->{note} ne '-';
        push @rows, join "\t", $path, $expect, $want->{video}, $want->{audio},
                               $want->{note};
    }

    my ($out, $err, $status) = @{ $runs[$n++] };
    is($status, $exit{$expect} // ($answer->{status} == 422 ? 2
                                   : $log eq '' ? 0 : 1),
       "$path: vodtool check agrees");
    is($err, '', "$path: silent");
    is(join('', map { "$_\n" } $out =~ /^  (?:reason|warning) +(.*)/mg), $log,
       "$path: the reasons of vodtool check");
}

write_file($index, join "\n", @rows, '');

run_checks('corpus', 'oracle.py', '--base', base_url() . '/whole',
           '--base', base_url() . '/second', '--lenient',
           '--index', $index, '--root', $VodTest::Media);
run_checks('corpus', 'conformance.py', '--base', base_url() . '/whole',
           '--expect', 'exact,leftout,partial',
           '--index', $index, '--root', $VodTest::Media);

for my $path (@main::paths) {
    next if $main::expected{$path}{expect} eq 'refuse';
    my $asset = asset($path, '/second/');
    next if fetch("$asset/master.m3u8")->{status} != 200;
    my $body = fetch_all($asset);
    $main::first{"$path $_"} = sha($body->{$_}) for keys %$body;
}


=== TEST 2: another server sends the same bytes
--- workers: 2
--- config
location /second/ {
    vod on;
    vod_segment_duration 1s;
    vod_mmap off;
    alias $TEST_NGINX_MEDIA/;
}
--- check
for my $path (@main::paths) {
    my @names = map { /^\Q$path\E (\S+)$/ ? $1 : () } keys %main::first;
    my @wrong;

    # backwards: nothing that was asked for before decides what comes

    for my $name (reverse sort @names) {
        my $answer = fetch(asset($path, '/second/') . "/$name");
        push @wrong, $name if $answer->{status} != 200
            || sha($answer->{content}) ne $main::first{"$path $name"};
    }
    is("@wrong", '', "$path: " . @names . ' bodies') if @names;
}


=== TEST 3: every name below every file is an answer, and the workers go on
--- workers: 2
--- config
location / {
    vod on;
    root $TEST_NGINX_MEDIA;
}
--- check
my @pids = worker_pids();
for my $path (@main::paths) {
    for my $url ('master.m3u8', 'manifest.mpd', 'v1/index.m3u8', 'v1/1.m4s',
                 'a1/1.m4s', 'a1/99999.m4s')
    {
        my $answer = fetch(asset($path, '/') . "/$url");
        like($answer->{status}, qr/^(?:200|404|422)$/, "$path: $url")
            or diag($answer->{content});
    }
}
is("@{[worker_pids()]}", "@pids", 'the same workers');
