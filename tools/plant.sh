#!/bin/bash
#
# Proves the detectors: plants one fault at a time in a copy of the tree, and
# asks the one that is there for it.  Each is asked without the fault first, and
# must be silent.
#
#   tools/plant.sh ROOT COPY
#
#   leak      vod_av_index() keeps its tracks     LeakSanitizer, valgrind
#   race      a counter that all threads write    ThreadSanitizer
#   overflow  the writer takes one byte too many  AddressSanitizer
#   blocked   the event loop reads a cold page    t/strace.t
#
# One line each, "caught" or "NOT CAUGHT"; fails where one is not caught.

set -u

root=$(cd "$1" && pwd)
copy=$2
failed=0

die() { echo "plant: $*" >&2; exit 2; }

# ---- the copy, with what has been compiled already

mkdir -p "$copy" || die "cannot make $copy"
copy=$(cd "$copy" && pwd)
find "$copy" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
(cd "$root" && tar -cf - --exclude=./build --exclude=./.git .) |
    tar -xf - -C "$copy" || die "cannot copy the tree"
mkdir -p "$copy/build/asan" "$copy/build/tsan"
for part in flags obj asan/obj tsan/obj; do
    [ ! -e "$root/build/$part" ] ||
        cp -a "$root/build/$part" "$copy/build/$part"
done
ln -s "$root/build/fixtures" "$copy/build/fixtures"
cd "$copy" || exit 2
log=$copy/build/plant.log

# ---- detectors: what is built, what is run, and the words of a report

targets_of() {
    case $1 in
        LeakSanitizer)    echo build/asan/vodtool ;;
        valgrind)         echo build/vodtool ;;
        ThreadSanitizer)  echo build/tsan/unit/av_threads_test ;;
        AddressSanitizer) echo build/asan/unit/wr_test ;;
        strace.t)         echo build/ngx_http_vod_module.so build/vodtool ;;
    esac
}

run() {
    case $1 in
        LeakSanitizer)
            ASAN_OPTIONS=detect_leaks=1 build/asan/vodtool index \
                fixtures/clip.mp4 ;;
        valgrind)
            valgrind --quiet --leak-check=full --error-exitcode=9 \
                --errors-for-leak-kinds=definite \
                build/vodtool index fixtures/clip.mp4 ;;
        ThreadSanitizer)
            setarch -R build/tsan/unit/av_threads_test fixtures/clip.mp4 \
                t/fuzz/corpus/file/ts.ts ;;
        AddressSanitizer)
            build/asan/unit/wr_test ;;
        strace.t)
            VOD_BUILD=$copy/build VOD_MODULE= VOD_TOOL= \
                VOD_FIXTURES=$copy/build/fixtures \
                TEST_NGINX_BINARY=${NGINX_BINARY:-nginx} \
                prove -It/lib t/strace.t ;;
    esac
}

words_of() {
    case $1 in
        LeakSanitizer)    echo 'LeakSanitizer: detected memory leaks' ;;
        valgrind)         echo 'are definitely lost' ;;
        ThreadSanitizer)  echo 'ThreadSanitizer: data race' ;;
        AddressSanitizer) echo 'AddressSanitizer: heap-buffer-overflow' ;;
        strace.t)         echo "Failed test .*no blocking read of the media" ;;
    esac
}

# 0: it reported what it is there for; 1: all is well; 2: something else

ask() {
    make $(targets_of "$1") > "$log" 2>&1 ||
        { tail -n 20 "$log" >&2; die "the copy does not build"; }
    run "$1" > "$log" 2>&1
    status=$?
    if [ $status != 0 ] && grep -q -e "$(words_of "$1")" "$log"; then
        return 0
    fi
    [ $status != 0 ] || return 1
    return 2
}

# ---- faults: the line that is there, what it becomes

plant() {
    python3 - "$@" <<'END' || die "$1 has changed: give the fault a new place"
import sys
path, old, new = sys.argv[1:]
text = open(path, encoding="utf-8").read()
if text.count(old) != 1:
    sys.exit(1)
open(path, "w", encoding="utf-8").write(text.replace(old, new))
END
}

try() {
    name=$1
    file=ngx_vod_module/$2
    old=$3
    new=$4
    shift 4

    for detector in "$@"; do
        ask "$detector"
        case $? in
            1) ;;
            *) tail -n 30 "$log" >&2
               echo "$name: $detector does not pass without the fault" >&2
               failed=1
               return ;;
        esac
    done

    cp -p "$file" "$copy/build/kept.c"
    plant "$file" "$old" "$new"

    for detector in "$@"; do
        ask "$detector"
        case $? in
            0) printf '%-9s caught by %s\n' "$name" "$detector" ;;
            *) tail -n 30 "$log" >&2
               printf '%-9s NOT CAUGHT by %s\n' "$name" "$detector"
               failed=1 ;;
        esac
    done

    # newer than what was made of the fault

    cp "$copy/build/kept.c" "$file"
}

try leak av/vod_av.c \
    '    free(b->tracks);
' '' LeakSanitizer valgrind

try race av/vod_av.c \
    '    src->bytes_read = 0;

    b = calloc' \
    '    src->bytes_read = 0;
    { static volatile int built; built = built + 1; }

    b = calloc' ThreadSanitizer

try overflow core/vod_wr.c \
    'n > wr->size - at)' 'n > wr->size - at + 1)' AddressSanitizer

try blocked ngx/ngx_http_vod_gather.c \
    'return preadv2(fd, &iov, 1, (off_t) offset, RWF_NOWAIT);' \
    'return preadv2(fd, &iov, 1, (off_t) offset, 0);' strace.t

rm -rf "$copy"
exit $failed
