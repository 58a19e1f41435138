# Files that would have others opened: playlists, lists of files, session
# descriptions, references in containers.  They are refused, or served without
# it, and nothing is opened but the file that was asked for.

use FindBin;
use lib "$FindBin::Bin/lib";
use VodTest;

BEGIN {
    skip_suite('strace is not installed') if !have_command('strace');
    skip_suite('processes may not be traced')
        if system('strace -o /dev/null -e trace=none true 2>/dev/null') != 0;
}

use Test::Nginx::Socket 'no_plan';

use POSIX ();

no_shuffle();
run_tests();


# Every name that threads of the workers open, look at or connect to while the
# code runs.

sub names_touched {
    my $code = shift;
    my $prefix = files_dir() . '/trace';
    my @workers = worker_pids();

    unlink glob "$prefix.*";

    my $pid = fork() // die;
    if ($pid == 0) {
        $Test::Nginx::Util::InSubprocess = 1;
        open STDERR, '>', "$prefix-said";
        my @command = ('strace', '-ff', '-s', '4096', '-o', $prefix, '-e',
            'trace=%file,socket,connect,openat2,memfd_create,execve,fork,'
            . 'vfork', map { ('-p', $_) } @workers);
        { no warnings 'exec'; exec { $command[0] } @command; }
        POSIX::_exit(127);
    }

    wait_for(sub {
        my @tasks = map { glob "/proc/$_/task/*/status" } @workers;
        return @tasks == grep {
            my $status = eval { slurp($_) } // '';
            $status =~ /^TracerPid:\s*[1-9]/m;
        } @tasks;
    }, 20) or die 'strace does not attach';

    $code->();

    kill 'INT', $pid;
    waitpid $pid, 0;

    my %seen;
    for my $file (glob "$prefix.*") {
        for my $line (split /\n/, slurp($file)) {
            if ($line =~ /^\w+\((?:AT_FDCWD, |\d+, )?"([^"]*)"/) {
                $seen{$1} = $line;

            } elsif ($line =~ /^(socket|connect|fork|vfork|memfd_create)\(/) {
                $seen{$line} = $line;
            }
        }
    }

    return \%seen;
}


# What none of these files may lead to, and what is always looked at: the
# file, its folder, and what libc wants of the machine.

sub only_itself {
    my ($seen, $name) = @_;
    my $file = files_dir() . "/$name";

    return grep {
        $_ ne $file && $_ ne '' && !m{^/(?:etc/localtime|proc/|sys/|dev/)}
        && index($file, $_) != 0
    } sort keys %$seen;
}


# --- files that refer to others

sub box {
    my ($type, @parts) = @_;
    my $body = join '', @parts;

    return pack('Na4', 8 + length $body, $type) . $body;
}


sub ebml {
    my ($id, @parts) = @_;
    my $body = join '', @parts;

    return pack('H*', $id) . "\x01" . substr(pack('Q>', length $body), 1)
           . $body;
}


# A movie whose first track has its samples in another file, of this data
# reference.

sub elsewhere {
    my $reference = shift;
    my $file = slurp("$VodTest::Root/fixtures/clip.mp4");
    my $own = box('url ', "\0\0\0\1");
    my $at = index $file, $own;

    die 'no data reference' if $at < 0;

    substr($file, $at, length $own) = $reference;
    my $grown = length($reference) - length $own;

    # dref, dinf, minf, mdia, trak, moov are as much longer

    for my $type (qw(dref dinf minf mdia trak moov)) {
        my $place = rindex $file, $type, $at;
        substr($file, $place - 4, 4)
            = pack 'N', $grown + unpack 'N', substr $file, $place - 4, 4;
    }

    return $file;
}


sub matroska {
    my $info = shift;

    return ebml('1A45DFA3', ebml('4282', 'matroska'), ebml('4287', "\4"),
                ebml('4285', "\2"))
           . ebml('18538067', ebml('1549A966', ebml('2AD7B1', "\x0f\x42\x40"),
                  $info), @_[1 .. $#_]);
}

__DATA__

=== TEST 1: text that names other files
--- setup
my $other = files_dir() . '/other.mp4';
my $port = $ENV{TEST_NGINX_PORT_1};
copy_file(files_dir() . '/clip.mp4', $other);
copy_file("$VodTest::Fixtures/mpegts.ts", files_dir() . '/other.ts');

my $hls = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n"
    . "#EXT-X-MAP:URI=\"other.mp4\"\n"
    . "#EXT-X-KEY:METHOD=AES-128,URI=\"file://$other\"\n"
    . "#EXTINF:2,\nother.ts\n#EXTINF:2,\n$other\n#EXTINF:2,\n"
    . "http://127.0.0.1:$port/other.ts\n#EXT-X-ENDLIST\n";

my %text = (
    'hls.m3u8' => $hls,
    'master.m3u8' => "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nother.m3u8\n"
        . "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"$other\"\n",
    'concat.txt' => "ffconcat version 1.0\nfile other.mp4\n"
        . "file '$other'\nfile 'http://127.0.0.1:$port/other.mp4'\n",
    'concat-plain.txt' => "file other.mp4\nfile other.ts\n",
    'session.sdp' => "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\n"
        . "c=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video $port RTP/AVP 96\r\n"
        . "a=rtpmap:96 H264/90000\r\n",
    'manifest.mpd' => '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:'
        . 'mpd:2011" type="static" mediaPresentationDuration="PT2S"><Period>'
        . '<AdaptationSet mimeType="video/mp4"><Representation id="1" '
        . "bandwidth=\"1\"><BaseURL>file://$other</BaseURL></Representation>"
        . '</AdaptationSet></Period></MPD>',
    'smooth.ism' => '<?xml version="1.0"?><smil><body><switch>'
        . "<video src=\"$other\"/></switch></body></smil>",
    'list.asx' => "<asx version=\"3\"><entry><ref href=\"$other\"/></entry>"
        . '</asx>',
    'list.pls' => "[playlist]\nFile1=$other\nNumberOfEntries=1\n",
    'list.ram' => "rtsp://127.0.0.1:$port/a\nfile://$other\n",
    'reference.mov.txt' => "rtsptextrtsp://127.0.0.1:$port/other\n",
    'shortcut.url' => "[InternetShortcut]\nURL=file://$other\n",
    'picture%03d.jpg' => "\xff\xd8\xff\xe0\0\x10JFIF\0",
    'script.avs' => "AviSource(\"$other\")\n",
    'script.vpy' => "import os\nopen('$other')\n",
    'subtitle.idx' => "# VobSub index file, v7 (do not modify this line!)\n"
        . "id: en, index: 0\ntimestamp: 00:00:01:000, filepos: 000000000\n",
    'graph.txt' => "movie=$other [out0]\n",
    'list.mp4' => $hls,
    'list.mkv' => "ffconcat version 1.0\nfile other.mp4\n",
    'list.ts' => $hls,
    'protocol.mp4' => "concat:$other|$other\n",
    'nested.mp4' => "subfile,,start,0,end,0,,:$other\n",
);
for my $name (keys %text) {
    write_file(files_dir() . "/$name", $text{$name});
}
--- check
my %known = map { $_ => 1 } qw(clip.mp4 other.mp4 other.ts);
my @names = sort grep { !$known{$_} && !/^trace/ }
    map { m{([^/]+)$} } glob files_dir() . '/*';
cmp_ok(scalar @names, '>=', 22, 'files that name others');
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 8,
    LocalPort => $ENV{TEST_NGINX_PORT_1}, ReuseAddr => 1) or die;
for my $name (@names) {
    my @answers;
    my $seen = names_touched(sub {
        @answers = map { fetch(asset($name, '/') . "/$_") }
            qw(master.m3u8 v1/1.m4s);
    });
    is("@{[map { $_->{status} } @answers]}", '422 422', "$name: refused");
    my @other = only_itself($seen, $name);
    is(scalar @other, 0, "$name: nothing else is touched")
        or diag(join "\n", map { $seen->{$_} } @other);
    ok($seen->{files_dir() . "/$name"}, "$name: it was looked at")
        if $name eq $names[0];
}
$listener->blocking(0);
ok(!$listener->accept, 'no connection was made');


=== TEST 2: containers that name other files
--- setup
my $other = files_dir() . '/other.mp4';
my $folder = files_dir() . '/ref';
mkdir $folder;
copy_file(files_dir() . '/clip.mp4', $other);
copy_file("$VodTest::Fixtures/matroska.mkv", files_dir() . '/next.mkv');

my $alias = "\0\0\0\0" . pack('n', 150) . pack('n', 2) . pack('n', 0)
    . pack('C/a27', 'disk') . "\0" x 20 . pack('C/a63', 'other.mp4')
    . "\0" x 16 . pack('n n', 0, 1) . "\0" x 14
    . pack('n n/a*', 2, $other) . pack('n n/a*', 18, $other)
    . "\xff\xff\0\0";
write_file("$folder/url.mp4",
           elsewhere(box('url ', "\0\0\0\0", "file://$other\0")));
write_file("$folder/urn.mp4",
           elsewhere(box('urn ', "\0\0\0\0", "urn:x\0file://$other\0")));
write_file("$folder/alias.mov", elsewhere(box('alis', "\0\0\0\0",
                                                $alias)));
write_file("$folder/rmra.mov", box('ftyp', 'qt  ', "\0\0\0\0", 'qt  ')
    . box('moov', box('rmra', box('rmda', box('rdrf', "\0\0\0\0", 'url ',
          pack('N/a*', "file://$other\0"))))));

my $uid = 'u' x 16;
my $link = ebml('3E83BB', 'n' x 16) . ebml('3EB923', 'p' x 16)
    . ebml('3E83AB', 'previous.mkv') . ebml('3C83AB', 'next.mkv')
    . ebml('73A4', $uid);
my $attached = ebml('1941A469', ebml('61A7', ebml('466E', 'other.mp4'),
    ebml('4660', 'application/x-url'), ebml('46AE', "\1"),
    ebml('465C', "file://$other")));
my $chapters = ebml('1043A770', ebml('45B9', ebml('45BD', "\1"),
    ebml('45DD', "\1"), ebml('B6', ebml('91', "\0"), ebml('6E67', 'n' x 16))));
write_file("$folder/linked.mkv", matroska($link, $chapters, $attached));

write_file(files_dir() . '/list.m3u8', "#EXTM3U\n#EXTINF:1,\n$other\n");
my (undef, $said, $status) = capture(qw(ffmpeg -v error -y -i),
    "$VodTest::Fixtures/matroska.mkv", qw(-map 0 -c copy -attach),
    files_dir() . '/list.m3u8', qw(-metadata:s:t
    mimetype=application/vnd.apple.mpegurl), "$folder/attached.mkv");
die $said if $status != 0;

write_file("$folder/hls.avi", 'RIFF' . pack('V', 400) . 'AVI LIST'
    . pack('V', 200) . "movi#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile://$other\n"
    . "GAB2\0" . "\0" x 8 . "#EXTM3U\n#EXTINF:1,\n$other\n" . "\0" x 99);
write_file("$folder/script.flv", "FLV\1\5\0\0\0\x09\0\0\0\0"
    . "\x12" . substr(pack('N', 80), 1) . "\0" x 7 . "\2\0\x0aonMetaData"
    . "\x08\0\0\0\1\0\3url\2" . pack('n/a*', $other) . "\0" x 20);
write_file("$folder/skeleton.ogg", "OggS\0\2" . "\0" x 20 . "\1\x40"
    . "fishead\0" . "file://$other" . "\0" x 40);
write_file("$folder/list.ogg", "OggS\0\2" . "\0" x 20 . "\1\x20"
    . "#EXTM3U\n$other\n");
write_file("$folder/operational.mxf",
    "\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02\x04\0"
    . "\x83\0\0\x40file://$other" . "\0" x 40);
--- check
my @names = map { m{([^/]+)$} } glob files_dir() . '/ref/*';
is(scalar @names, 11, 'containers that name others');
for my $name (@names) {
    my @answers;
    my $seen = names_touched(sub {
        @answers = map { fetch("/ref/$name/$_") }
            qw(master.m3u8 v1/index.m3u8 v1/1.m4s a1/1.m4s);
    });
    like("@{[map { $_->{status} } @answers]}",
         $name eq 'attached.mkv' ? qr/^200 200 200 200$/
         : $name =~ /^(?:url|urn|alias)/ ? qr/^200 404 404 200$/
         : qr/^422 422 422 422$/, "$name: its statuses");
    my @other = only_itself($seen, "ref/$name");
    is(scalar @other, 0, "$name: nothing else is touched")
        or diag(join "\n", map { $seen->{$_} } @other);
}


=== TEST 3: the trace would show it
--- config
location / {
    vod on;
    root $TEST_NGINX_FILES;
}
location = /page {
    ssi on;
    ssi_types *;
    alias $TEST_NGINX_FILES/page;
}
location /part/ { alias $TEST_NGINX_FILES/; }
--- setup
write_file(files_dir() . '/page', '<!--#include virtual="/part/other.mp4"-->');
--- check
my $seen = names_touched(sub { fetch('/page') });
is_deeply([only_itself($seen, 'page')], [files_dir() . '/other.mp4'],
          'a page that includes another file');
