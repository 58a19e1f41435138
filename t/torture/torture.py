#!/usr/bin/env python3
"""torture.py BUILD SECONDS [SEED]

Mutated fixtures through every URL of a server with AddressSanitizer, on
loopback.  Fails where an answer is none of the contract's, a body is not as
long as announced, a request hangs, a worker ends, or the log has a line of
level alert, emerg or of a sanitizer."""

import collections
import glob
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from mutate import generator, mutate

STATUSES = {200, 206, 304, 403, 404, 416, 422, 503}
LARGEST = 400000        # bytes of a fixture
HANG = 60               # seconds
THREADS = 4

CONF = """
daemon off;
worker_processes 2;
pid %(dir)s/nginx.pid;
error_log %(dir)s/error.log info;
load_module %(build)s/ngx_http_vod_module.so;
worker_rlimit_core 0;
thread_pool default threads=4 max_queue=4096;
events { worker_connections 512; }
http {
    access_log off;
    client_body_temp_path %(dir)s/t1; proxy_temp_path %(dir)s/t2;
    fastcgi_temp_path %(dir)s/t3; uwsgi_temp_path %(dir)s/t4;
    scgi_temp_path %(dir)s/t5;
    vod_zone 4m;
    server {
        listen 127.0.0.1:%(port)d;
        location /m/ { vod on; alias %(dir)s/media/; }
        location /a/ { vod on; aio threads; vod_segment_duration 1s;
                       alias %(dir)s/media/; }
        location /r/ { vod on; vod_mmap off; sendfile on;
                       alias %(dir)s/media/; }
    }
}
"""


class Torture:
    def __init__(self, build, seconds, seed):
        self.build = os.path.abspath(build)
        self.end = time.monotonic() + seconds
        self.seed = seed
        self.dir = tempfile.mkdtemp(prefix="torture-")
        self.lock = threading.Lock()
        self.statuses = collections.Counter()
        self.files = 0
        self.faults = []
        self.sources = [
            path for path in sorted(
                glob.glob(self.build + "/fixtures/*")
                + glob.glob((os.environ.get("VOD_MEDIA") or "/nowhere")
                            + "/*/*"))
            if os.path.isfile(path) and 0 < os.path.getsize(path) < LARGEST
            and not path.endswith((".tsv", ".txt", ".md"))]
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]

    def fault(self, text):
        with self.lock:
            self.faults.append(text)
            print("FAIL  " + text, flush=True)

    # ---- the server

    def start(self):
        os.chmod(self.dir, 0o755)       # the workers are nobody's
        os.mkdir(self.dir + "/media")
        conf = self.dir + "/nginx.conf"
        with open(conf, "w", encoding="utf-8") as f:
            f.write(CONF % {"dir": self.dir, "build": self.build + "/asan",
                            "port": self.port})
        self.server = subprocess.Popen(
            [self.build + "/asan/nginx", "-p", self.dir, "-c", conf],
            stderr=open(self.dir + "/stderr", "w", encoding="utf-8"))
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        self.workers = self.children()

    def children(self):
        out = subprocess.run(["ps", "-o", "pid=", "--ppid",
                              str(self.server.pid)], capture_output=True,
                             text=True, check=False).stdout
        return sorted(out.split())

    def stop(self):
        if self.children() != self.workers:
            self.fault("workers have ended: %s, now %s"
                       % (self.workers, self.children()))
        self.server.send_signal(signal.SIGQUIT)
        try:
            self.server.wait(HANG)
        except subprocess.TimeoutExpired:
            self.fault("the server does not end: a request is stuck")
            self.server.kill()

        for name in ("error.log", "stderr"):
            with open(self.dir + "/" + name, encoding="utf-8",
                      errors="replace") as f:
                for line in f:
                    if re.search(r"\[(alert|emerg)\]|Sanitizer|runtime error",
                                 line):
                        self.fault("log: " + line.strip())
                        break

    # ---- requests

    def get(self, conn, path, headers=None):
        try:
            conn.request("GET", path, headers=headers or {})
            answer = conn.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as e:
            # a body that ends early is legal where the file lies: the
            # connection is closed, and no later answer is on it
            conn.close()
            with self.lock:
                self.statuses["cut" if isinstance(
                    e, http.client.IncompleteRead) else "broken"] += 1
            if not isinstance(e, http.client.IncompleteRead):
                self.fault("%s: %r" % (path, e))
            return 0, b""
        with self.lock:
            self.statuses[answer.status] += 1
        if answer.status not in STATUSES:
            self.fault("%s: %d" % (path, answer.status))
        return answer.status, body

    def asset(self, rng, conn, base):
        status, master = self.get(conn, base + "/master.m3u8")
        self.get(conn, base + "/manifest.mpd")
        if status != 200:
            return
        lists = set(re.findall(rb'^(?!#)(\S+\.m3u8)$|URI="([^"]+\.m3u8)"',
                               master, re.M))
        for found in sorted(a or b for a, b in lists)[:8]:
            path = base + "/" + found.decode()
            status, media = self.get(conn, path)
            if status != 200:
                continue
            folder = path.rsplit("/", 1)[0]
            names = [n.decode() for n in re.findall(rb'^(?!#)(\S+)$', media,
                                                    re.M)]
            names += [n.decode() for n in re.findall(rb'URI="([^"]+)"',
                                                     media)]
            rng.shuffle(names)
            for name in names[:6]:
                headers = {}
                if rng.random() < 0.2:
                    headers["Range"] = "bytes=%d-" % rng.randrange(2000)
                self.get(conn, folder + "/" + name, headers)
            self.get(conn, folder + "/%d.m4s" % rng.choice([0, 1, 2, 999999]))

    def client(self, number):
        rng = generator("%s/%d" % (self.seed, number))
        conn = http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=HANG)
        while time.monotonic() < self.end and len(self.faults) < 20:
            source = rng.choice(self.sources)
            with open(source, "rb") as f:
                data = mutate(rng, f.read())
            name = "%d-%d" % (number, rng.getrandbits(48))
            path = self.dir + "/media/" + name
            with open(path, "wb") as f:
                f.write(data)
            faults = len(self.faults)
            place = rng.choice("mar")
            self.asset(rng, conn, "/%s/%s" % (place, name))
            if rng.random() < 0.1:
                with open(path, "r+b") as f:
                    f.truncate(rng.randrange(len(data) + 1))
                self.asset(rng, conn, "/%s/%s" % (place, name))
            if len(self.faults) > faults or self.children() != self.workers:
                shutil.copy(path, self.build + "/fuzz/broken/torture-" + name)
                self.fault("%s of %s, kept" % (name, source))
                return
            os.unlink(path)
            with self.lock:
                self.files += 1
        conn.close()

    def run(self):
        os.makedirs(self.build + "/fuzz/broken", exist_ok=True)
        self.start()
        threads = [threading.Thread(target=self.client, args=(i,))
                   for i in range(THREADS)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.stop()
        if not self.statuses[200] or not self.statuses[422]:
            self.fault("nothing was served, or nothing refused")
        print("%s  torture: %d files of %d sources, seed %s; answers: %s" % (
            "FAIL" if self.faults else "ok  ", self.files, len(self.sources),
            self.seed, ", ".join("%s %d" % (k, v) for k, v in sorted(
                self.statuses.items(), key=str))))
        if self.faults:
            print("logs are in " + self.dir)
        else:
            shutil.rmtree(self.dir)
        return 1 if self.faults else 0


if __name__ == "__main__":
    sys.exit(Torture(sys.argv[1], int(sys.argv[2]),
                     sys.argv[3] if len(sys.argv) > 3
                     else str(int(time.time()))).run())
