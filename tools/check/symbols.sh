#!/bin/bash
#
# What the core uses: libc alone, and of that nothing that waits, allocates or
# tells the time; no memory of its own that can change; names that start with
# vod_.  What the module exports: the three symbols that nginx looks up.  And
# its size.

set -u

failed=0
objects=$(ls build/obj/core/*.o 2> /dev/null)
module=build/ngx_http_vod_module.so
limit=524288

[ -n "$objects" ] && [ -e $module ] ||
    { echo "symbols: run make first" >&2; exit 1; }

bad() { echo "$*" >&2; failed=1; }

source_of() { echo "ngx_vod_module/core/$(basename "${1%.o}").c:1"; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for lib in libc.so.6 libm.so.6; do
    path=$(gcc -print-file-name=$lib)
    nm -D --defined-only "$path" | awk '{ sub(/@.*/, "", $3); print $3 }'
done | sort -u > "$scratch/libc"

denied='^(malloc|calloc|realloc|free|alloca|strdup|asprintf|f?open|f?read'
denied+='|f?write|close|p?read|pwrite|p?printf|fprintf|puts|time|clock.*'
denied+='|gettimeofday|localtime.*|sleep|usleep|nanosleep|exit|abort|rand'
denied+='|random|getenv|select|poll)$'

for object in $objects; do
    nm "$object" | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' \
        >> "$scratch/ours"
done
sort -u -o "$scratch/ours" "$scratch/ours"

for object in $objects; do
    for symbol in $(nm -u "$object" | awk '{ print $2 }'); do
        grep -qx -e "$symbol" "$scratch/ours" && continue
        case $symbol in
            __stack_chk_fail|_GLOBAL_OFFSET_TABLE_) continue ;;

            # the compiler's own arithmetic on 128 bits

            __divti3|__udivti3|__modti3|__umodti3|__multi3) continue ;;
        esac
        if echo "$symbol" | grep -qE "$denied"; then
            bad "$(source_of "$object"): the core may not call $symbol"
        elif ! grep -qx -e "$symbol" "$scratch/libc"; then
            bad "$(source_of "$object"): uses $symbol, which is not libc's"
        fi
    done

    for symbol in $(nm "$object" | awk '$2 ~ /[A-Z]/ && $2 !~ /[UVW]/ \
        && $3 !~ /^vod_/ { print $3 }')
    do
        bad "$(source_of "$object"): $symbol does not start with vod_"
    done

    for symbol in $(nm "$object" | awk '$2 ~ /^[DdBbCGgSs]$/ { print $3 }'); do
        case $symbol in
            .*) continue ;;
        esac

        # tables of pointers are constant after relocation

        nm -f sysv "$object" | grep -q "^$symbol *|.*data.rel.ro" && continue
        bad "$(source_of "$object"): $symbol is memory that can change"
    done
done

exported=$(nm -D --defined-only $module | awk '{ print $3 }' | sort | xargs)
[ "$exported" = "ngx_module_names ngx_module_order ngx_modules" ] ||
    bad "$module: exports $exported"

strip -s -o "$scratch/stripped.so" $module
size=$(stat -c %s "$scratch/stripped.so")
[ "$size" -le $limit ] || bad "$module: $size bytes stripped, over $limit"

echo "symbols: $(echo "$objects" | wc -l) objects of the core;" \
    "the module exports 3, $size bytes stripped"
exit $failed
