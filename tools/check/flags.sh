# Sourced by those that look at the sources one by one: how each is compiled.
# flags_of FILE prints it; M is the module's folder.

M=ngx_vod_module
posix="-D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64"
av=$(pkg-config --cflags libavformat libavcodec libavutil jansson)

# nginx's include folders and the tree they belong to, as it was configured

makefile=build/nginx/Makefile
[ -e $makefile ] || { echo "${0##*/}: run make first" >&2; exit 1; }

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
