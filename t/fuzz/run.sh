#!/bin/bash
#
# run.sh BUILD SECONDS TARGET...: fuzzes each target for an equal share of the
# time, beginning with what is committed, what earlier runs have found, and
# for files the small ones of the fixtures.  What breaks a target is kept in
# BUILD/fuzz/broken; minimized, it belongs into t/fuzz/corpus.

set -u

build=$1
seconds=$2
shift 2

share=$((seconds / $#))
[ $share -gt 0 ] || share=1
broken=$build/fuzz/broken
failed=0

mkdir -p "$broken"

# largest input that a target is given, bytes

most() {
    case $1 in
        uri) echo 300 ;;
        file) echo 40000 ;;
        *) echo 4096 ;;
    esac
}

seeds() {
    echo "t/fuzz/corpus/$1"

    [ "$1" = file ] || return
    mkdir -p "$build/fuzz/seeds"
    find "$build/fixtures" -maxdepth 1 -type f -size -40k ! -name '*.tsv' \
        -exec cp -t "$build/fuzz/seeds" {} +
    echo "$build/fuzz/seeds"
}

for target in "$@"; do
    found=$build/fuzz/found/$target
    log=$build/fuzz/$target.log
    mkdir -p "$found"

    # shellcheck disable=SC2046
    if ! "$build/fuzz/$target" -max_total_time=$share -timeout=25 \
        -max_len="$(most "$target")" -rss_limit_mb=2048 \
        -artifact_prefix="$broken/$target-" -print_final_stats=1 \
        "$found" $(seeds "$target") > "$log" 2>&1
    then
        failed=1
        echo "FAIL  $target: see $log and $broken"
        continue
    fi

    awk -v name="$target" '
        / cov: / { for (i = 1; i < NF; i++) {
                       if ($i == "cov:") cov = $(i + 1)
                       if ($i == "corp:") corp = $(i + 1) } }
        /stat::number_of_executed_units/ { runs = $2 }
        END { printf "ok    %s: %d inputs, %d edges covered, %s kept\n",
              name, runs, cov, corp }' "$log"
done

exit $failed
