# The table of README.md is what t/e2e/corpus.tsv expects, by container.

use FindBin;
use lib "$FindBin::Bin/lib";
use strict;
use warnings;
use Test::More;

my $root = "$FindBin::Bin/..";
my @columns = qw(exact leftout partial refuse);
my (%count, %sum, %seen);

for my $line (lines("$root/t/e2e/corpus.tsv")) {
    my ($sha, $expect, $video, $audio, $container, $note, $name)
        = split /\t/, $line;
    next if $sha eq 'sha256';

    like($sha, qr/^[0-9a-f]{64}$/, "$name: its hash");
    ok(!$seen{$sha}++, "$name: once");
    ok(scalar(grep { $expect eq $_ } @columns), "$name: $expect");
    ok($expect eq 'exact' || $note ne '-', "$name: a reason");
    is($video + $audio > 0, $expect ne 'refuse', "$name: tracks");

    $count{$container}{$expect}++;
    $sum{$_}++ for $expect, 'all';
}

my @table = map { row($_, $count{$_}) }
    sort { lc $a cmp lc $b } keys %count;
push @table, row('**all**', \%sum);

my @readme = lines("$root/README.md");
my ($start) = grep { $readme[$_] =~ /^\| container \| files \| exactly/ }
    0 .. $#readme;
ok(defined $start, 'README.md has the table')
    and is(join("\n", @readme[$start + 2 .. $start + 1 + @table]),
           join("\n", @table), 'and it is true');
is($readme[$start + 2 + @table], '', 'and whole');

sub row {
    my ($name, $row) = @_;
    my $all = 0;
    $all += $row->{$_} // 0 for @columns;

    return join ' ', '|', $name, '|', $all, '|',
        join(' | ', map { $row->{$_} // 0 } @columns), '|';
}

sub lines {
    open my $in, '<', $_[0] or die "$_[0]: $!";
    my @lines = <$in>;
    chomp @lines;
    return @lines;
}

done_testing();
