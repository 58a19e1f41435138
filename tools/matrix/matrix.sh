#!/bin/sh
#
# Builds and tests what is committed in Debian releases of its own.
#
#   tools/matrix/matrix.sh FOLDER     (make matrix)
#
# FOLDER keeps, for each release, the environment (made by debootstrap and by
# the project's own set-up there, about 2 GB) and the log of the last run; a
# second run finds the environment and only tests.  Removing FOLDER/RELEASE
# has it made anew.
#
# One line a release goes to the standard output: release, versions of nginx
# and libavformat, tests, PASS or FAIL; what is being done goes to the standard
# error.  Exit code: 0 when all have passed, 1 when one has not, 2 when nothing
# could be tried.
#
#   MATRIX          releases, with commas or spaces between them
#   MATRIX_TARGET   what make is asked for there, as a shell reads it: "test",
#                   or "test TESTS='t/hls_master.t t/range.t'"
#   VOD_MEDIA, VOD_SCHEMA    folders the suites may read; seen there read-only
#
# Everything runs in namespaces (mounts, processes, for the tests the network
# too): whichever way this ends, no mount and no process is left, the machine
# sees neither, and a port in use on the machine is free there.

set -u

PATH=$PATH:/usr/sbin:/sbin      # which su leaves out

me=matrix
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
releases=$(echo "${MATRIX:-bookworm,trixie,sid}" | tr ',' ' ')
target=${MATRIX_TARGET:-test}
running=

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit 2; }

# ---------------------------------------------------------------- beforehand

need() {
    command -v "$1" > /dev/null 2>&1 ||
        die "$1 is missing here: \"tools/setup.sh matrix\" installs it" \
            "(Debian's package $2)"
}

check_machine() {
    [ "$(id -u)" = 0 ] ||
        die "run this as root: environments of other releases need mounts"

    need debootstrap debootstrap
    need unshare util-linux
    need setpriv util-linux
    need flock util-linux
    need ip iproute2
    need git git
    need apt-get apt

    why=$(unshare --mount --pid --net --fork --kill-child true 2>&1) ||
        die "no namespaces may be made here (unshare: $why); in a container," \
            "give it the right to mount (CAP_SYS_ADMIN)"

    git -C "$tree" rev-parse -q --verify HEAD > /dev/null ||
        die "$tree is no git repository: the committed tree is what is tested"

    for release in $releases; do
        [ -e "/usr/share/debootstrap/scripts/$release" ] ||
            die "debootstrap here knows no release \"$release\""
    done

    mirror=$("$here/../setup.sh" mirror) ||
        die "where the releases come from is not known, see above"
}

# The environment of a release is for one run at a time.

lock() {
    exec 9> "$folder/lock"
    flock -n 9 || die "another make matrix is running in $folder"
}

# ---------------------------------------------------------------- one release

# stage NAME NAMESPACES: a part of inside.sh, with its own mounts and
# processes.  Interrupted, this shell ends; the first process of the namespace
# is killed with its parent, and takes all others and the mounts with it; the
# same when this shell is killed.

stage() {
    name=$1
    shift
    setpriv --pdeathsig KILL nice unshare --mount --pid --fork --kill-child "$@" \
        "$here/inside.sh" "$name" "$folder/$release" >> "$log" 2>&1 &
    running=$!
    wait "$running"
    code=$?
    running=
    return $code
}

stop() {
    trap '' INT TERM HUP
    if [ -n "$running" ]; then
        kill -KILL "$running" 2> /dev/null
        wait "$running" 2> /dev/null
    fi
    say "stopped; what was made stays in $folder"
    exit 1
}

# The closing lines of prove, one a set of suites, say how many tests ran.

count_tests() {
    sed -n 's/^Files=[0-9]*, Tests=\([0-9]*\),.*/\1/p' "$log" |
        awk '{ n += $1 } END { print n + 0 }'
}

count_skipped() {
    grep -c '^[^ ]* \.*  *skipped: ' "$log"
}

# A run that tested nothing has not passed what is called a test.

is_tested() {
    case " $target " in
        *" test "*|*" test-asan "*|*" unit "*) [ "$1" -gt 0 ] ;;
    esac
}

why_failed() {
    case $1 in
        setup) tail -n 5 "$log" ;;
        *)     sed -n '/^Test Summary Report/,$p' "$log" |
                   grep -E '^[^ ]+ +\(Wstat' || tail -n 5 "$log" ;;
    esac | sed 's/^/    /' >&2
    say "$release: everything it said is in $log"
}

report() {
    tests=$(count_tests)
    skipped=$(count_skipped)
    versions=$(cat "$folder/$release/versions" 2> /dev/null)
    printf '%-9s %s  %6s tests, %s files skipped  %s\n' "$release" \
        "${versions:-nginx -       libavformat -        }" \
        "$tests" "$skipped" "$1"
}

try() {
    log=$folder/$release.log
    : > "$log"
    mkdir -p "$folder/$release"

    [ -e "$folder/$release/made" ] ||
        say "$release: making the environment (some minutes)"
    stage setup || { report FAIL; why_failed setup; return 1; }

    say "$release: make $target, at $commit"
    if stage run --net && is_tested "$(count_tests)"; then
        report PASS
        return 0
    fi
    report FAIL
    why_failed run
    return 1
}

# ---------------------------------------------------------------- all of them

[ $# = 1 ] || { sed -n '3,27p' "$0"; exit 2; }

check_machine
mkdir -p "$1" || exit 2
folder=$(cd "$1" && pwd)
lock
trap stop INT TERM HUP

commit=$(git -C "$tree" rev-parse --short HEAD)
export MATRIX_MIRROR="$mirror" MATRIX_TARGET="$target" MATRIX_COMMIT="$commit"

failed=0
for release in $releases; do
    try || failed=1
done
exit $failed
