#!/bin/bash
#
# Lines that are reached by the unit tests, the fuzz corpora and vodtool over
# the fixtures, by room; each line that is not, in BUILD/cov/uncovered.txt.
#
#   tools/check/coverage.sh BUILD
#
# ngx/ runs inside nginx alone and is not measured here.

set -u

build=$(cd "$1" && pwd)
cov=$build/cov
failed=0

find "$cov" -name '*.gcda' -delete

echo "== unit tests, for coverage"
for program in "$cov"/unit/*_test; do
    "$program" > "$cov/out" 2>&1 ||
        { echo "$(basename "$program"): not ok" >&2; failed=1; }
done

for program in "$cov"/fuzz-replay/*; do
    [ -x "$program" ] || continue
    "$program" t/fuzz/corpus/"$(basename "$program")"/* > "$cov/out" 2>&1 ||
        { echo "fuzz $(basename "$program"): not ok" >&2; failed=1; }
done

echo "== vodtool over the fixtures, for coverage"
for path in $(find -L "$VOD_FIXTURES" -type f -size -4096k ! -name '*.tsv' |
    sort)
do
    for command in "-v index" manifest master check; do
        "$cov/vodtool" $command "$path" > /dev/null 2>&1
    done
    for track in v1 a1; do
        for command in init media iframes segment; do
            number=
            [ $command != segment ] || number=1
            "$cov/vodtool" $command "$path" $track $number > /dev/null 2>&1
        done
    done
done

python3 tools/check/coverage.py ngx_vod_module "$cov" || failed=1

exit $failed
