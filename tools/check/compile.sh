#!/bin/bash
#
# Every header alone, and every source, with -Wall -Wextra -Werror and each of
# the compilers that are here.

set -u

. tools/check/flags.sh

warn="-Wall -Wextra -Werror -fsyntax-only"
failed=0
count=0

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
