#!/bin/sh
#
# What matrix.sh does for one release, in namespaces of its own.
#
#   inside.sh setup FOLDER    FOLDER/root: the release, and what the project's
#                             own set-up installs there; with the network
#   inside.sh run FOLDER      the committed tree into it, and make; with a
#                             loopback interface and nothing else
#
# MATRIX_MIRROR, MATRIX_TARGET, MATRIX_COMMIT, VOD_MEDIA, VOD_SCHEMA from
# matrix.sh.  Mounts are seen by the processes here alone, and gone with them.

set -eu

stage=$1
folder=$2
release=$(basename "$folder")
root=$folder/root
tree=$(cd "$(dirname "$0")/../.." && pwd)

# a place of its own: the suites' servers run as nobody, and look into it

inner=/srv/vod

chroot_env() {
    chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive "$@"
}

mounts() {
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
}

# ---------------------------------------------------------------- setup

# Half made, it has another name, and is begun again.

bootstrap() {
    [ ! -e "$root" ] || return 0
    rm -rf "$root.new"
    debootstrap --variant=minbase --include=ca-certificates \
        "$release" "$root.new" "$MATRIX_MIRROR"
    mv "$root.new" "$root"
}

# apt there goes the way that apt here does: mirror, hosts, proxy, clock.  An
# index that is past its date (sid's are dated, and a mirror may stand still) is
# signed all the same, and taken, now and when set-up reads it again.

apt_like_here() {
    echo "deb $MATRIX_MIRROR $release main" > "$root/etc/apt/sources.list"
    rm -f "$root"/etc/apt/sources.list.d/*
    for file in /etc/resolv.conf /etc/hosts; do
        [ ! -e $file ] || cat $file > "$root$file"
    done
    {
        apt-config dump | grep -iE '^Acquire::(https?::.*Proxy|Check-Date )' || :
        echo 'Acquire::Check-Valid-Until "false";'
    } > "$root/etc/apt/apt.conf.d/80matrix"
}

# The set-up script alone is what a clone brings; it is asked each time, for it
# may want more than it did, and finds everything otherwise.

set_up() {
    mkdir -p "$root$inner/tools"
    git -C "$tree" show "$MATRIX_COMMIT:tools/setup.sh" \
        > "$root$inner/tools/setup.sh"
    chroot_env sh "$inner/tools/setup.sh" test
    chroot_env apt-get clean
}

versions() {
    nginx=$(chroot_env nginx -v 2>&1 | sed 's|.*/||; s| .*||')
    lavf=$(chroot_env pkg-config --modversion libavformat)
    printf 'nginx %-7s libavformat %-9s' "$nginx" "$lavf" > "$folder/versions"
}

setup() {
    bootstrap
    mounts
    if [ ! -e "$folder/made" ]; then
        apt_like_here
        chroot_env apt-get -q --error-on=any update
    fi
    set_up
    versions
    : > "$folder/made"
}

# ---------------------------------------------------------------- run

# Fixtures are kept, for they know their recipes; the rest is built anew.

copy_tree() {
    fixtures=$root/srv/fixtures.kept
    rm -rf "$fixtures"
    mkdir -p "$fixtures"
    for kept in fixtures fixtures.base; do
        [ ! -e "$root$inner/build/$kept" ] ||
            mv "$root$inner/build/$kept" "$fixtures/"
    done
    rm -rf "$root$inner"
    mkdir -p "$root$inner/build"
    git -C "$tree" archive "$MATRIX_COMMIT" | tar -x -m -C "$root$inner"
    [ -z "$(ls "$fixtures")" ] || mv "$fixtures"/* "$root$inner/build/"
    rm -rf "$fixtures"
}

# show FOLDER PLACE: a folder of the machine, to be read there

show() {
    mkdir -p "$root$2"
    [ -n "$1" ] && [ -d "$1" ] || return 0
    mount --bind "$1" "$root$2"
    mount -o remount,bind,ro "$root$2"
    echo "$2"
}

run() {
    ip link set lo up
    mounts
    find "$root/tmp" -mindepth 1 -delete
    copy_tree
    media=$(show "${VOD_MEDIA:-}" /srv/media)
    schema=$(show "${VOD_SCHEMA:-}" /srv/schema)
    chroot_env VOD_MEDIA="$media" VOD_SCHEMA="$schema" \
        sh -c "cd '$inner' && exec make $MATRIX_TARGET"
}

$stage
