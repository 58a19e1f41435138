#!/bin/bash
#
# cppcheck and clang-tidy over core, av, cli and ngx.  What clang-tidy is asked
# for, and why the rest is not, stands in .clang-tidy; a single place that is
# right although cppcheck does not see it carries cppcheck-suppress and why.
#
#   tools/check/lint.sh [FILE.c ...]

set -u

cd "$(dirname "$0")/../.." || exit 2

. tools/check/flags.sh

files=${*:-$(ls $M/*/*.c)}
failed=0

# libavformat's and nginx's headers are not ours to be looked at: what the code
# asks of them is given instead, so that cppcheck sees the branches we build

cppcheck --quiet --std=c99 --enable=warning,performance,portability \
    --inline-suppr \
    --template='{file}:{line}: {severity}: {id}: {message}' \
    --error-exitcode=1 -j "$(nproc)" -D__linux__ -D__GNUC__=12 -D__SIZEOF_INT128__=16 \
    -DLIBAVFORMAT_VERSION_MAJOR=59 -DNGX_THREADS=1 -D'AV_STRINGIFY(x)=""' \
    -I$M/core -I$M/av \
    $files || failed=1

export M posix av ngx
export -f flags_of

tidy() {
    clang-tidy --quiet --warnings-as-errors='*' "$1" -- \
        $(flags_of "$1") 2> /dev/null
}
export -f tidy

echo $files | tr ' ' '\n' | xargs -P "$(nproc)" -I {} bash -c 'tidy {}' ||
    failed=1

echo "lint: $(echo $files | wc -w) files, cppcheck $(cppcheck --version \
    | cut -d ' ' -f 2), clang-tidy $(clang-tidy --version | grep -o \
    'version [0-9.]*' | cut -d ' ' -f 2)"
exit $failed
