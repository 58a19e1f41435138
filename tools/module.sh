#!/bin/bash
#
# Builds the dynamic module with nginx's own build, out of tree.
#
#   tools/module.sh OBJS PRODUCT CFLAGS LDFLAGS
#
# OBJS     folder for nginx's makefile and objects
# PRODUCT  where the .so goes
#
# Configures (some seconds) only when the configuration has changed, then
# compiles what is newer.  NGX_SRC, NGX_CONFIGURE, CC from the environment.

set -eu -o pipefail

objs=$1
product=$2
export VOD_CFLAGS=$3
export VOD_LDFLAGS=$4

root=$(pwd)
src=${NGX_SRC:-/usr/share/nginx/src}

die() { echo "module: $*" >&2; exit 1; }

[ -d "$src" ] || [ -z "${NGX_SRC:-}" ] || die "NGX_SRC=$src is not a folder"
[ -d "$src" ] || die "no nginx headers at $src: install nginx-dev" \
    "(\"tools/setup.sh build\" does, as root), or set NGX_SRC"

src=$(cd "$src" && pwd)
mkdir -p "$objs" "$(dirname "$product")"
objs=$(cd "$objs" && pwd)

# nginx-dev's configure writes into OBJS alone.  That of a source tree also
# writes a makefile beside itself: it is given a tree of links to write to.

if [ -n "${NGX_SRC:-}" ]; then
    farm=$objs.src
    rm -rf "$farm"
    mkdir -p "$farm"
    (cd "$src" && find . -path ./.git -prune -o -path ./objs -prune -o \
        -type d -print) | (cd "$farm" && xargs mkdir -p)
    (cd "$src" && find . -path ./.git -prune -o -path ./objs -prune -o \
        -path ./Makefile -prune -o ! -type d -print) | while read -r file; do
            ln -s "$src/$file" "$farm/$file"
        done
    tree=$farm
    read -r -a flags <<< "${NGX_CONFIGURE:-}"
else
    tree=$src
    . "$src/conf_flags"
    flags=("${NGX_CONF_FLAGS[@]}")
fi

configure=./configure
[ -x "$tree/configure" ] || configure=auto/configure
[ -x "$tree/$configure" ] || die "$src is not an nginx source tree"

# the flags of Debian's own nginx; fortify and sanitizers do not mix

fortify=-D_FORTIFY_SOURCE=2
[ -z "$VOD_LDFLAGS" ] || fortify=

cc_opt="-g -O2 -fPIC -fstack-protector-strong -Wformat"
cc_opt="$cc_opt -Werror=format-security $fortify"

flags+=("--with-cc=${CC:-gcc}" "--with-cc-opt=$cc_opt" \
    "--with-ld-opt=-Wl,-z,relro -Wl,-z,now" \
    "--add-dynamic-module=$root" "--builddir=$objs")

state=$(printf '%s\n' "$src" "$VOD_CFLAGS" "$VOD_LDFLAGS" "${flags[@]}"
    cat config
    pkg-config --modversion libavformat 2> /dev/null || true
    grep NGINX_VERSION "$src/src/core/nginx.h")

if [ "$state" != "$(cat "$objs/configured" 2> /dev/null)" ] \
    || [ ! -e "$objs/Makefile" ]
then
    echo "configuring against nginx in $src (about 5 s)"
    rm -f "$objs/configured"
    (cd "$tree" && $configure "${flags[@]}") > "$objs/configure.log" 2>&1 || {
        grep -E 'error:|not found' "$objs/configure.log" >&2 || true
        die "configure failed, all its words are in $objs/configure.log"
    }
    echo "$state" > "$objs/configured"
fi

echo "compiling ngx_http_vod_module.so"
MAKEFLAGS= make -s -j"$(nproc)" -f "$objs/Makefile" -C "$tree" modules > "$objs/make.log" 2>&1 || {
    cat "$objs/make.log" >&2
    die "the module does not compile, see above"
}

cp "$objs/ngx_http_vod_module.so" "$product.new"
mv "$product.new" "$product"
echo "built $product"
