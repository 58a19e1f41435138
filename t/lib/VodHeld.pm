package VodHeld;

# System calls of nginx that wait or fail when a suite says so: what depends
# on time elsewhere happens on demand.  t/lib/held_calls.c does it and says
# what there is.  Load this between VodTest and Test::Nginx::Socket.
#
#   hold('film.mp4');                       reads of it wait from now on
#   my @sockets = ask_all('/film.mp4/master.m3u8');
#   my ($pid) = held('film.mp4');           this process does
#   ...
#   release('film.mp4');
#
#   order('fail.film.mp4', 5);               the others, and their number
#   cancel('fail.film.mp4');
#
# Nothing is held or ordered when a block begins.

use strict;
use warnings;

use VodTest;

use base 'Exporter';

our @EXPORT = qw(cancel held hold in_flight order release waiting);

my $folder = "$VodTest::Scratch/held";
my $library = "$VodTest::Scratch/held_calls.so";


BEGIN {
    my $compiler = $ENV{CC} || 'cc';

    if (!have_command($compiler =~ /^(\S+)/)) {
        skip_suite("$compiler is not there");
    }

    mkdir "$VodTest::Scratch/held";
    chmod 0777, "$VodTest::Scratch/held";

    my ($out, $err, $status) = capture(split(' ', $compiler), qw(-Wall -Wextra
        -Werror -O1 -shared -fPIC -o), "$VodTest::Scratch/held_calls.so",
        source_dir() . '/t/lib/held_calls.c', '-ldl');

    Test::More::BAIL_OUT("held_calls.c: $err") if $status != 0;
}


# behind the run time of a sanitizer, which has to come first

$ENV{TEST_NGINX_LD_PRELOAD} = join ' ',
    grep { defined } $ENV{TEST_NGINX_LD_PRELOAD}, $library;
$ENV{VOD_HELD} = $folder;

Test::Nginx::Util::add_block_preprocessor(sub {
    unlink glob "$folder/*";
});


sub order {
    my ($what, $number) = @_;

    write_file("$folder/.new", ($number // 0) . "\n");
    rename "$folder/.new", "$folder/$what" or die "$what: $!";
}


sub cancel {
    my $what = shift;

    unlink "$folder/$what";
}


sub hold {
    my $name = shift;

    cancel("held.$name");
    order("hold.$name");
}


sub release {
    my $name = shift;

    cancel("hold.$name");
}


# The processes that are held, each once, when there are as many as wanted: well
# before the minute after which any build is taken over.

sub held {
    my ($name, $wanted) = @_;
    my (%seen, @pids);

    wait_for(sub {
        my $text = -f "$folder/held.$name" ? slurp("$folder/held.$name") : '';
        %seen = ();
        @pids = grep { !$seen{$_}++ } $text =~ /^(\d+)\n/mg;
        return @pids >= ($wanted // 1);
    }, 30) or die "nobody is held at $name\n";

    return @pids;
}


# That so many requests wait, in the end.

sub waiting {
    my ($wanted, $name) = @_;
    my $seen;

    Test::More::ok(wait_for(sub {
        $seen = status_page()->{waiting};
        return $seen == $wanted;
    }, 60), $name // "$wanted wait") or Test::More::diag("$seen do");
}


# That so many are being answered, this look at them not counted.

sub in_flight {
    my ($wanted, $name) = @_;
    my $seen;

    Test::More::ok(wait_for(sub {
        $seen = status_page()->{in_flight};
        return $seen == $wanted;
    }, 60), $name // "$wanted are being answered")
        or Test::More::diag("$seen are");
}


1;
