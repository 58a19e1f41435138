#!/bin/bash
#
# Unit tests, vodtool over every fixture, and suites of nginx under valgrind's
# memcheck.  An error, or memory that nothing points to any more when a process
# ends, fails.
#
#   tools/check/valgrind.sh BUILD [SUITES]
#
# SUITES  files of t/; default: those below.  "none": no suite.
#
# valgrind runs one thread at a time and some 20 times slower: suites that
# measure time, trace system calls, or load the server are not among them.

set -u

build=$(cd "$1" && pwd)
suites=${2:-}
[ -n "$suites" ] || suites="t/uri.t t/head.t t/range.t t/init.t t/segment.t
    t/hls_master.t t/hls_media.t t/dash.t t/conditional.t t/gzip.t t/demux.t
    t/subrequest.t t/variables.t t/status.t t/statuses.t"
[ "$suites" != none ] || suites=

here=tools/check
logs=$build/valgrind/logs
failed=0

rm -rf "$build/valgrind"
mkdir -p "$logs"
chmod 777 "$logs"

# --quiet: a log that is not empty is a report

memcheck="valgrind --quiet --leak-check=full --show-leak-kinds=definite
    --errors-for-leak-kinds=definite --num-callers=25 --child-silent-after-fork=no
    --suppressions=$PWD/$here/valgrind.supp --log-file=$logs/%p.log"

reports() {
    found=$(find "$logs" -name '*.log' -size +0 | sort)
    [ -n "$found" ] || return 0
    for log in $found; do
        echo "== $1: $log" >&2
        head -n 60 "$log" >&2
    done
    mkdir -p "$build/valgrind/found"
    mv $found "$build/valgrind/found/"
    failed=1
}

# ---- unit tests.  Those that go over every prefix or every bit of an input run
# natively and with sanitizers; here one file each is enough of the others.

echo "== unit tests under valgrind"
count=0
for program in "$build"/unit/*_test; do
    name=$(basename "$program")
    case $name in
        *_fuzz_test) continue ;;
    esac
    args=
    case $name in
        av_threads_test|av_packets_test|av_scan_test|av_demux_test|av_payload_test|av_cues_test)
            args=$(ls t/fuzz/corpus/file/*) ;;
    esac
    nice $memcheck "$program" $args > "$logs/out" 2>&1 ||
        { echo "$name: not ok" >&2; grep -A 3 '^not ok' "$logs/out" >&2
          failed=1; }
    count=$((count + 1))
done
reports "unit tests"
echo "$count programs"

# ---- vodtool: each kind of answer, of each fixture

echo "== vodtool under valgrind"
count=0
for file in $(cut -f 1 "$VOD_FIXTURES/INDEX.tsv" | tail -n +2) ; do
    path=$VOD_FIXTURES/$file
    [ -f "$path" ] || continue
    count=$((count + 1))
    for command in "-v index" manifest master; do
        nice $memcheck "$build/vodtool" $command "$path" > /dev/null 2>&1
        [ $? -le 3 ] || { echo "vodtool $command $file: died" >&2; failed=1; }
    done
    for command in init media iframes segment; do
        number=
        [ $command != segment ] || number=1
        nice $memcheck "$build/vodtool" $command "$path" a1 $number \
            > /dev/null 2>&1
        [ $? -le 3 ] || { echo "vodtool $command $file: died" >&2; failed=1; }
    done
done
reports vodtool
echo "$count files"

# ---- suites, through an nginx that is valgrind's.  Test::Nginx asks it for its
# version time and again: that needs no valgrind.  At its end nginx unmaps its
# modules; what their variables point to would be lost, and their functions
# have no names: they stay.

[ -n "$suites" ] || exit $failed

echo 'int dlclose(void *h) { return h == 0; }' |
    ${CC:-gcc} -shared -fPIC -o "$build/valgrind/noclose.so" -x c - || exit 2

cat > "$build/valgrind/nginx" <<END
#!/bin/sh
case " \$* " in
    *" -v "*|*" -V "*|*" -t "*|*" -s "*)
        exec $TEST_NGINX_BINARY "\$@" ;;
esac
export LD_PRELOAD=$build/valgrind/noclose.so
exec $(echo $memcheck) $TEST_NGINX_BINARY "\$@"
END
chmod +x "$build/valgrind/nginx"

echo "== suites under valgrind ($(echo $suites | wc -w) files)"
TEST_NGINX_BINARY=$build/valgrind/nginx VOD_SLOW=1 TEST_NGINX_TIMEOUT=120 \
    nice ${PROVE:-prove} -It/lib $suites || failed=1
reports suites

exit $failed
