#!/bin/bash
#
# Every header alone, and every source, with -Wall -Wextra -Werror and each of
# the compilers that are here.

set -u

M=ngx_vod_module
warn="-Wall -Wextra -Werror -fsyntax-only"
posix="-D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64"
av=$(pkg-config --cflags libavformat libavcodec libavutil)
failed=0
count=0

# nginx's include folders and the tree they belong to, as it was configured

makefile=build/nginx/Makefile
[ -e $makefile ] || { echo "compile: run make first" >&2; exit 1; }

tree=${NGX_SRC:+build/nginx.src}
tree=${tree:-/usr/share/nginx/src}
ngx=
for dir in $(sed -n '/^ALL_INCS/,/^$/p' $makefile | grep -o -e '-I [^ ]*' \
    | cut -c 4-)
do
    case $dir in
        /*) ngx="$ngx -I $dir" ;;
        *)  ngx="$ngx -I $tree/$dir" ;;
    esac
done

flags_of() {
    case $1 in
        $M/core/*) echo "-std=c99 -I$M/core" ;;
        $M/av/*)   echo "-std=c99 $posix -I$M/core -I$M/av $av" ;;
        $M/ngx/*)  echo "-Wno-unused-parameter $ngx" ;;
        t/unit/* | t/fuzz/*)
                   echo "-std=c99 $posix -I$M/core -I$M/av $av" ;;
        *)         echo "-std=c99 $posix -I$M/core -I$M/av" ;;
    esac
}

compilers=
for cc in gcc clang; do
    command -v $cc > /dev/null 2>&1 && compilers="$compilers $cc"
done
[ -n "$compilers" ] || { echo "compile: no compiler" >&2; exit 1; }

one() {
    $1 $warn $(flags_of "$2") -x c "$3" || {
        echo "$2:1: does not compile alone with $1" >&2
        return 1
    }
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for cc in $compilers; do
    for file in $M/*/*.[ch] t/unit/*.[ch] t/fuzz/*.[ch]; do
        [ -e "$file" ] || continue
        source=$file
        case $file in
            $M/ngx/*.h)
                # as every nginx header: after the three of nginx

                source=$scratch/$(basename "$file").c
                printf '#include <%s>\n' ngx_config.h ngx_core.h ngx_http.h \
                    > "$source"
                echo "#include \"$PWD/$file\"" >> "$source" ;;
            *.h)
                # twice: the guard holds

                source=$scratch/$(basename "$file").c
                echo "#include \"$PWD/$file\"" > "$source"
                echo "#include \"$PWD/$file\"" >> "$source" ;;
        esac
        one "$cc" "$file" "$source" || failed=1
        count=$((count + 1))
    done
done

[ $count -gt 0 ] || { echo "compile: found nothing to check" >&2; exit 1; }

echo "compile: $count times, with$compilers"
exit $failed
