#!/bin/bash
#
# Serves a folder of media files over HLS and DASH on loopback, with a page
# that lists and plays them.  "make run" calls it.
#
#   tools/run/run.sh BUILD PORT [MEDIA]
#
# BUILD  the build folder, with the module; BUILD/run/PORT is nginx's prefix
# MEDIA  the folder to serve (default: BUILD/fixtures)
#
# Runs in the foreground; Ctrl-C ends it.

set -eu -o pipefail

build=$1
port=$2
media=${3:-}
media=${media:-$build/fixtures}
[ "${media:0:2}" != "~/" ] || media=$HOME/${media:2}    # not every shell does
nginx=${NGINX_BINARY:-nginx}
here=$(cd "$(dirname "$0")" && pwd)
run=$build/run/$port            # several may run, each on its own port

die() { echo "run: $*" >&2; exit 1; }

[[ $port =~ ^[0-9]+$ ]] || die "PORT=$port is not a number"
[ -d "$media" ] || die "MEDIA=$media is not a folder"
[ -r "$media" ] || die "MEDIA=$media cannot be read by you"
media=$(cd "$media" && pwd)

if (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
    die "port $port is taken, choose another: make run PORT=$((port + 1))"
fi

mkdir -p "$run/tmp" "$run/logs"

# The folder is reached through a link: its name may hold characters that a
# configuration file gives a meaning to.

ln -sfn "$media" "$run/media"
ln -sfn "$here/page" "$run/page"

# ---- hls.js, for browsers that do not play HLS themselves

hlsjs=$build/npm/node_modules/hls.js/dist
no_npm=
command -v npm > /dev/null 2>&1 || no_npm=", for there is no npm"

if [ ! -e "$hlsjs/hls.min.js" ] && [ -z "$no_npm" ]; then
    echo "run: installing hls.js with npm, for browsers without HLS"
    mkdir -p "$build/npm"
    echo '{ "private": true }' > "$build/npm/package.json"
    timeout 60 npm install --prefix "$build/npm" --no-audit --no-fund \
        --fetch-retries=0 --ignore-scripts --loglevel=error hls.js > "$run/logs/npm.log" 2>&1 ||
        echo "run: npm could not (see $run/logs/npm.log)"
fi
mkdir -p "$run/hlsjs"
if [ -e "$hlsjs/hls.min.js" ]; then
    ln -sfn "$hlsjs/hls.min.js" "$run/hlsjs/hls.min.js"
else
    echo "run: no hls.js$no_npm: the page plays only" \
        "in browsers that play HLS themselves"
fi

# Started by root, nginx would give its workers to "nobody", who cannot read
# a folder below somebody's home.  They keep the rights of the person who
# started them, on an address that only this machine reaches.  A service for
# others has a user of its own: see README.md.

user=
[ "$(id -u)" != 0 ] || user="user root;"

types=/etc/nginx/mime.types
[ -r $types ] || types=

cat > "$run/nginx.conf" <<END
$user
daemon off;
worker_processes auto;
load_module "$build/ngx_http_vod_module.so";
error_log logs/error.log warn;
pid nginx.pid;

events {
    worker_connections 1024;
}

http {
    ${types:+include $types;}
    default_type application/octet-stream;
    access_log logs/access.log;
    client_body_temp_path tmp/body;
    proxy_temp_path tmp/proxy;
    fastcgi_temp_path tmp/fastcgi;
    uwsgi_temp_path tmp/uwsgi;
    scgi_temp_path tmp/scgi;

    sendfile on;
    tcp_nopush on;
    aio threads;

    gzip on;
    gzip_types application/vnd.apple.mpegurl application/dash+xml;

    server {
        listen 127.0.0.1:$port;

        # the page

        location / {
            root page;
        }
        location = /hls.min.js {
            root hlsjs;
            types { application/javascript js; }
        }

        # what the folder holds, for the page

        location /list/ {
            alias media/;
            autoindex on;
            autoindex_format json;
        }

        # the assets

        location /vod/ {
            alias media/;
            vod on;
        }
        location = /status {
            vod_status;
        }
    }
}
END

"$nginx" -p "$run" -c nginx.conf -e logs/error.log &
pid=$!

stop() {
    trap '' INT TERM
    kill -TERM "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    echo
    echo "run: stopped"
    exit 0
}
trap stop INT TERM HUP

for _ in $(seq 100); do
    kill -0 "$pid" 2> /dev/null ||
        die "nginx did not start, see above and $run/logs/error.log"
    ! (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || break
    sleep 0.1
done

cat <<END

  Serving $media
  Page    http://127.0.0.1:$port/
  Status  http://127.0.0.1:$port/status
  Log     $run/logs/error.log

  Ctrl-C stops it.

END

# a signal ends "wait" early; the trap does the rest

wait "$pid"
die "nginx ended, see $run/logs/error.log"
