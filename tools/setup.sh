#!/bin/sh
#
# Installs what the module needs, and only what is missing.
#
#   tools/setup.sh build    compiler, nginx with its headers, FFmpeg libraries
#   tools/setup.sh run      the same, and what makes and serves the fixtures
#   tools/setup.sh test     the same, and what the suites run on
#   tools/setup.sh lint     what looks for faults: cppcheck, clang-tidy, valgrind
#   tools/setup.sh bench    what "run" asks for, and what the benchmarks do
#   tools/setup.sh browser  what "run" asks for, and what plays in a browser
#   tools/setup.sh matrix   what makes environments of other Debian releases
#   tools/setup.sh list     the table below, one line an item; installs nothing
#   tools/setup.sh mirror   the Debian mirror that apt here uses; the same
#
# On Debian: as root, or through sudo.  Elsewhere: names what is missing and
# stops with exit code 1.  A second run finds everything and takes no time.
#
#   NGX_SRC       set: an nginx source tree is used, Debian's nginx-dev is not
#                 needed
#   NGINX_BINARY  the nginx program to use (default: nginx)

set -u

PATH=$PATH:/usr/sbin:/sbin      # which su leaves out

set_wanted=${1:-test}
nginx=${NGINX_BINARY:-nginx}
me=setup

say() { printf '%s: %s\n' "$me" "$*"; }
die() { printf '%s: %s\n' "$me" "$*" >&2; exit 1; }

# set  check  Debian package  what it is for
#
# checks: cmd:NAME   a program in PATH      file:PATH  a file
#         pc:NAME    a pkg-config module    perl:FILE  a file in Perl's @INC
#         py:NAME    a Python module

table() {
    cat <<'END'
build cmd:gcc                           gcc                  C compiler
build cmd:make                          make                 builds
build cmd:pkg-config                    pkg-config           finds libraries
build pc:libavformat                    libavformat-dev      reads media files
build pc:libavcodec                     libavcodec-dev       reads media files
build pc:libavutil                      libavutil-dev        reads media files
build pc:zlib                           zlib1g-dev           compresses playlists
build pc:jansson                        libjansson-dev       reads descriptors
build nginx                             nginx                the server
build nginx-dev                         nginx-dev            nginx headers
run   cmd:ffmpeg                        ffmpeg               makes the fixtures
run   cmd:ffprobe                       ffmpeg               checks the fixtures
run   cmd:python3                       python3              edits MP4 boxes
run   cmd:curl                          curl                 asks the server
test  cmd:prove                         perl                 runs the suites
test  perl:Test/More.pm                 perl                 runs the suites
test  perl:Test/Nginx/Socket.pm         libtest-nginx-perl   nginx in suites
test  perl:JSON/PP.pm                   perl                 reads JSON
test  py:prometheus_client              python3-prometheus-client  reads metrics
test  py:yaml                           python3-yaml         reads alert rules
test  cmd:xmllint                       libxml2-utils        validates MPDs
test  cmd:strace                        strace               system calls
test  cmd:openssl                       openssl              TLS in suites
test  cmd:clang                         clang                second compiler
test  cmd:ps                            procps               suites
lint  cmd:cppcheck                      cppcheck             static analysis
lint  cmd:clang-tidy                    clang-tidy           static analysis
lint  cmd:valgrind                      valgrind             memory
bench cmd:strip                         binutils             sizes
bench cmd:openssl                       openssl              TLS under load
bench cmd:wrk                           wrk                  load
bench cmd:h2load                        nghttp2-client       constant rates
browser cmd:chromium                    chromium             plays the fixtures
browser cmd:node                        nodejs               drives it
browser cmd:npm                         npm                  brings the players
matrix cmd:debootstrap                  debootstrap          other releases
matrix cmd:unshare                      util-linux           namespaces
matrix cmd:ip                           iproute2             loopback in them
matrix cmd:git                          git                  what is committed
END
}

sets_wanted() {
    case $set_wanted in
        build)     echo ' build ' ;;
        run)       echo ' build run ' ;;
        test|list) echo ' build run test ' ;;
        bench)     echo ' build run bench ' ;;
        lint)      echo ' build lint ' ;;
        browser)   echo ' build run browser ' ;;
        matrix)    echo ' matrix ' ;;
        *)         die "unknown set \"$set_wanted\"; known: build run test" \
                       "lint bench matrix list mirror"
    esac
}

perl_has() {
    command -v perl > /dev/null 2>&1 &&
    perl -e 'for my $d (@INC) { exit 0 if -f "$d/$ARGV[0]" } exit 1' "$1"
}

has() {
    case $1 in
        cmd:*)     command -v "${1#cmd:}" > /dev/null 2>&1 ;;
        file:*)    [ -e "${1#file:}" ] ;;
        pc:*)      command -v pkg-config > /dev/null 2>&1 &&
                   pkg-config --exists "${1#pc:}" ;;
        perl:*)    perl_has "${1#perl:}" ;;
        py:*)      python_has "${1#py:}" ;;
        nginx)     command -v "$nginx" > /dev/null 2>&1 ||
                   [ -x /usr/sbin/nginx ] ;;
        nginx-dev) [ -n "${NGX_SRC:-}" ] ||
                   [ -e /usr/share/nginx/src/conf_flags ] ;;
        *)         die "bad check \"$1\" in the table" ;;
    esac
}

# Debian's modules are its own Python's, which need not be the first in PATH.

python_has() {
    python3 -c "import $1" 2> /dev/null ||
    /usr/bin/python3 -c "import $1" 2> /dev/null
}

is_debian() {
    [ -r /etc/os-release ] &&
    (. /etc/os-release; [ "${ID:-}" = debian ]) &&
    command -v apt-get > /dev/null 2>&1
}

# Prints "check package purpose" of each missing item.

missing() {
    wanted=$(sets_wanted) || exit 1
    table | while read -r set check package purpose; do
        case $wanted in
            *" $set "*) has "$check" || echo "$check $package $purpose" ;;
        esac
    done
}

# ---------------------------------------------------------------- Debian

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

has_candidate() {
    apt-cache policy "$1" 2> /dev/null | grep 'Candidate:' \
        | grep -qv '(none)'
}

apt_update() {
    [ -z "${updated:-}" ] || return 0
    updated=1
    say "reading the package lists (apt-get update)"
    as_root apt-get -q update || die "apt-get update failed, see above"
}

apt_install() {
    say "installing: $*"
    as_root apt-get -q -y --no-install-recommends install "$@" && return 0

    # old lists name files that the mirror no longer has

    [ -z "${updated:-}" ] || die "apt-get install failed, see above"
    apt_update
    as_root apt-get -q -y --no-install-recommends install "$@" ||
        die "apt-get install failed, see above"
}

# Debian starts a service when its package is installed.  The nginx that this
# script brings is for building and testing: it must not take port 80, now or
# after a restart.  An nginx that was here before is left as it is.

policy=/usr/sbin/policy-rc.d

hold_services() {
    held=
    [ ! -e $policy ] || return 0
    printf '#!/bin/sh\n# tools/setup.sh %s: gone when it ends\nexit 101\n' $$ \
        | as_root tee $policy > /dev/null
    as_root chmod 755 $policy
    held=1
}

release_services() {
    [ -n "${held:-}" ] || return 0
    as_root rm -f $policy
    held=
}

# One that was killed could not take its file away; left there, it would keep
# every service on the machine from being started by its package.

sweep_policy() {
    [ -r $policy ] || return 0
    owner=$(sed -n 's|^# tools/setup.sh \([0-9]*\):.*|\1|p' $policy)
    [ -n "$owner" ] && [ ! -e "/proc/$owner" ] || return 0
    say "removing $policy, left by a set-up that was killed"
    as_root rm -f $policy
}

install_packages() {
    fresh_nginx=
    case " $* " in
        *" nginx "*|*" nginx-dev "*)
            [ -x /usr/sbin/nginx ] || fresh_nginx=1 ;;
    esac

    [ -z "$fresh_nginx" ] || hold_services
    apt_install "$@"

    if [ -n "$fresh_nginx" ]; then
        release_services
        if [ -x /usr/sbin/nginx ] && [ -e /etc/init.d/nginx ]; then
            as_root update-rc.d nginx disable > /dev/null 2>&1
            say "the nginx service was installed, and left stopped and disabled"
        fi
    fi
}

# Test::Nginx is not in every Debian release: where apt knows no candidate, the
# package (architecture all) is taken from sid, on the mirror that apt already
# uses, with apt's own signature check, and through a private state, so that
# the machine's own sources stay as they are.

mirror_uri() {
    apt-get indextargets \
        --format '$(ORIGIN)|$(LABEL)|$(CREATED_BY)|$(REPO_URI)' \
        | sed -n 's/^Debian|Debian|Packages|//p' | head -n 1
}

# Any trouble is an error here, so that nothing half read is used.  A mirror
# that stands still is signed all the same, only not of late.

sid_update() {
    sid_read "$1" && return 0
    grep -q 'is expired' "$1/log" || return 1
    say "the mirror's index of sid is past its date; taken as it is"
    echo 'Acquire::Check-Valid-Until "false";' >> "$1/apt.conf"
    sid_read "$1"
}

sid_read() {
    APT_CONFIG=$1/apt.conf apt-get -q --error-on=any update > "$1/log" 2>&1
}

download_from_sid() {
    package=$1
    dir=$2
    mirror=$(mirror_uri)
    [ -n "$mirror" ] ||
        die "no Debian mirror among apt's sources to take $package from"

    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    options=
    [ ! -e $keyring ] || options="[signed-by=$keyring] "

    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/parts"
    chmod 755 "$dir"
    echo "deb $options$mirror sid main" > "$dir/sources.list"

    cat > "$dir/apt.conf" <<END
Dir::State::lists "$dir/lists";
Dir::Cache "$dir/cache";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "$dir/parts";
Acquire::Languages "none";
END

    say "$package is not in this release: reading the index of sid (11 MB)"
    sid_update "$dir" || {
        cat "$dir/log" >&2
        die "cannot read the index of sid; install $package by hand"
    }
    (cd "$dir" && APT_CONFIG=$dir/apt.conf apt-get -q download "$package/sid") \
        2>&1 | grep -v 'unsandboxed'
    ls "$dir/$package"_*.deb > /dev/null 2>&1 ||
        die "cannot download $package from sid; install it by hand"
}

install_test_nginx() {
    if has_candidate libtest-nginx-perl; then
        apt_install libtest-nginx-perl
        return
    fi

    apt_update
    scratch=$(mktemp -d) || die "cannot make a scratch folder"
    download_from_sid libtest-nginx-perl "$scratch"
    apt_install "$scratch"/libtest-nginx-perl_*.deb
}

install_missing() {
    packages=$(echo "$1" | cut -d ' ' -f 2 | sort -u)
    say "missing here:" $packages

    if [ "$(id -u)" != 0 ] && ! command -v sudo > /dev/null 2>&1; then
        die "run this as root, or install sudo: \"tools/setup.sh" \
            "$set_wanted\" installs what is missing"
    fi

    late=
    ordinary=
    for package in $packages; do
        case $package in
            libtest-nginx-perl) late=1 ;;
            *) ordinary="$ordinary $package" ;;
        esac
    done

    for package in $ordinary; do
        has_candidate "$package" || { apt_update; break; }
    done

    [ -z "$ordinary" ] || install_packages $ordinary
    [ -z "$late" ] || install_test_nginx
}

# ---------------------------------------------------------------- elsewhere

name_missing() {
    say "this is not Debian; missing here:" >&2
    echo "$1" | while read -r check package purpose; do
        printf '  %-28s %-22s %s\n' "${check#*:}" "(Debian: $package)" \
            "$purpose"
    done >&2
    die "install these and run again" \
        "(Perl modules: cpanm Test::Nginx; nginx-dev: or set NGX_SRC)"
}

# nginx loads a module only when it was built against the very same version.

check_versions() {
    [ -z "${NGX_SRC:-}" ] || return 0
    header=/usr/share/nginx/src/src/core/nginx.h
    [ -r $header ] || return 0
    program=$nginx
    command -v "$program" > /dev/null 2>&1 || program=/usr/sbin/nginx
    have=$("$program" -v 2>&1 | sed -n 's|.*nginx/\([0-9.]*\).*|\1|p')
    want=$(sed -n 's/.*NGINX_VERSION *"\([^"]*\)".*/\1/p' $header)
    [ "$have" = "$want" ] ||
        die "$program is version $have, nginx-dev is for $want;" \
            "set NGX_SRC to the source of nginx $have, or NGINX_BINARY to nginx $want"
}

# However this ends, it leaves nothing behind.  PIPE is for those who read only
# the beginning ("| head"): nothing more is said, what was begun is undone.

clean_up() {
    trap '' PIPE
    release_services
    [ -z "${scratch:-}" ] || rm -rf "$scratch"
}

trap clean_up EXIT
trap 'exit 1' INT TERM HUP PIPE

if [ "$set_wanted" = list ]; then
    table
    exit 0
fi

if [ "$set_wanted" = mirror ]; then
    is_debian || die "this is not Debian: there is no mirror in apt's sources"
    mirror=$(mirror_uri)
    [ -n "$mirror" ] || { apt_update >&2; mirror=$(mirror_uri); }
    [ -n "$mirror" ] || die "no Debian mirror among apt's sources"
    echo "$mirror"
    exit 0
fi

items=$(missing) || exit 1
sweep_policy

if [ -n "$items" ]; then
    is_debian || name_missing "$items"
    install_missing "$items"
    items=$(missing)
    [ -z "$items" ] || die "still missing after the installation: $items"
fi

[ "$set_wanted" = matrix ] || check_versions
say "everything for \"$set_wanted\" is here"
