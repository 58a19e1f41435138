# The fuzz targets over the inputs that are committed: seeds, and what once
# broke them.

use strict;
use warnings;

use FindBin;
use Test::More;

my $build = $ENV{VOD_BUILD} || "$FindBin::Bin/../build";

for my $source (sort glob "$FindBin::Bin/fuzz/fuzz_*.c") {
    my ($name) = $source =~ m{fuzz_(\w+)\.c$};
    my @inputs = sort glob "$FindBin::Bin/fuzz/corpus/$name/*";

    cmp_ok(scalar @inputs, '>', 0, "$name has inputs");

    my $out = qx("$build/fuzz-replay/$name" @{[join ' ', map { "'$_'" } @inputs]} 2>&1);
    is($?, 0, "$name: ends well") or diag($out);
    like($out, qr/^@{[scalar @inputs]} inputs$/m, "$name: all of them");
}

done_testing();
