"""One nginx for one measurement, on loopback, and what its workers cost."""

import json
import mmap
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time
import urllib.request

import env

CONF = """\
%(user)s
daemon off;
worker_processes %(workers)d;
%(affinity)s
worker_rlimit_nofile %(files)d;
load_module "%(module)s";
%(main)s
error_log error.log warn;
pid nginx.pid;

events {
    worker_connections %(connections)d;
}

http {
    access_log off;
    default_type application/octet-stream;
    types {
        application/vnd.apple.mpegurl m3u8;
        application/dash+xml          mpd;
        video/mp4                     mp4 m4s;
    }
    client_body_temp_path tmp/body;
    proxy_temp_path       tmp/proxy;
    fastcgi_temp_path     tmp/fastcgi;
    uwsgi_temp_path       tmp/uwsgi;
    scgi_temp_path        tmp/scgi;

    keepalive_timeout  1h;
    keepalive_requests 1000000000;
    send_timeout       5m;
    reset_timedout_connection on;

    sendfile   on;
    tcp_nopush on;
    tcp_nodelay on;
    open_file_cache max=20000 inactive=1h;
    vod_zone %(zone)s;
    %(aio)s
    %(http)s

    server {
        listen 127.0.0.1:%(port)d backlog=8192 %(listen)s;
        %(tls)s
        %(server)s

        location /vod/ {
            alias %(assets)s/;
            vod on;
        }
        location /static/ {
            alias %(static)s/;
        }
        location = /status {
            vod_status;
        }
    }
}
"""

TLS = """\
listen 127.0.0.1:%(tls_port)d ssl backlog=8192;
        ssl_certificate     %(out)s/tls.pem;
        ssl_certificate_key %(out)s/tls.key;
        %(ktls)s"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# As in service: workers have rights of their own, and do not own the media.

USER = "nobody nogroup"

# open files of a worker: what this machine allows, within reason

FILES = min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])


class Server:
    """with Server("name") as s: ... s.port"""

    def __init__(self, name, workers=1, pin=False, aio=True, zone="256m",
                 timer=False, count=False, connections=4096, main="",
                 http="", server="", tls=None, assets=None, wait=True,
                 user=USER, listen="", cgroup=None):
        self.dir = os.path.join(env.RUN, name)
        self.port = free_port()
        self.workers = workers
        self.pin = pin and len(env.CPUS) > 1
        self.count = count
        self.timer = os.path.join(self.dir, "timer") if timer else None
        self.wait = wait
        self.cgroup = cgroup
        self.tls_port = free_port() if tls is not None else None

        if timer or "vod_bench_zone" in http:
            main += 'load_module "%s";\n' % env.BENCH_MODULE
        if timer:
            http += "vod_bench_timer %s;\n" % self.timer

        self.conf = CONF % {
            "user": "user %s;" % user if os.getuid() == 0 else "",
            "workers": workers, "files": FILES,
            "affinity": self.affinity(),
            "module": env.MODULE, "main": main,
            "connections": connections, "port": self.port, "zone": zone,
            "listen": listen,
            "aio": "aio threads;" if aio else "",
            "http": http, "server": server,
            "tls": "" if tls is None else TLS % {
                "tls_port": self.tls_port, "out": env.OUT, "ktls": tls},
            "assets": assets or env.ASSETS, "static": env.STATIC,
        }

    def affinity(self):
        if not self.pin:
            return ""
        mask = "1" + "0" * env.CPUS[0]
        return "worker_cpu_affinity %s;" % " ".join([mask] * self.workers)

    def __enter__(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(os.path.join(self.dir, "tmp"))
        os.chmod(self.dir, 0o777)
        os.makedirs(env.STATIC, exist_ok=True)
        with open(os.path.join(self.dir, "nginx.conf"), "w") as f:
            f.write(self.conf)

        environ = dict(os.environ)
        if self.count:
            self.counts = Counts(os.path.join(self.dir, "counts"))
            environ["VOD_BENCH_COUNT"] = self.counts.path
            environ["LD_PRELOAD"] = env.COUNT

        self.log = os.path.join(self.dir, "error.log")
        self.process = subprocess.Popen(
            [env.nginx(), "-p", self.dir, "-c", "nginx.conf", "-e", self.log],
            env=environ, preexec_fn=self.enter if self.cgroup else None)
        if self.wait:
            self.wait_port()
        return self

    def enter(self):
        with open(os.path.join(self.cgroup, "cgroup.procs"), "w") as f:
            f.write("0")

    def wait_port(self):
        for _ in range(300):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.02)
                continue
            while len(self.pids()) < self.workers:
                time.sleep(0.02)
            return
        env.die("nginx did not start, see %s" % self.log)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def pids(self):
        path = "/proc/%d/task/%d/children" % ((self.process.pid,) * 2)
        try:
            return [int(p) for p in open(path).read().split()]
        except OSError:
            return []

    def cpu(self):
        return cpu_of(self.pids())

    def rss(self):
        return rss_of(self.pids())

    def get(self, path):
        url = "http://127.0.0.1:%d%s" % (self.port, path)
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read()

    def status(self):
        return json.loads(self.get("/status"))

    def log_lines(self, level="crit|alert|emerg"):
        words = ["[%s]" % w for w in level.split("|")]
        return [line for line in open(self.log, errors="replace")
                if any(w in line for w in words)]

    def timer_reset(self):
        for n in range(self.workers):
            with open("%s.%d" % (self.timer, n), "r+b") as f:
                f.write(bytes(os.fstat(f.fileno()).st_size))

    def timer_read(self):
        """Delay of a 1 ms timer, microseconds: p50, p99, max; all workers."""
        buckets, longest, n = {}, 0, 0
        for k in range(self.workers):
            data = open("%s.%d" % (self.timer, k), "rb").read()
            values = struct.unpack("=%dQ" % (len(data) // 8), data)
            n += sum(values[2:])
            longest = max(longest, values[1])
            for b, count in enumerate(values[2:]):
                buckets[b] = buckets.get(b, 0) + count

        def at(q):
            left = q * n
            for b in sorted(buckets):
                left -= buckets[b]
                if left <= 0 and buckets[b]:
                    shift = max(0, b // 8 - 1)
                    return ((b - shift * 8) << shift) / 1000
            return 0

        return {"n": n, "p50": at(0.5), "p99": at(0.99), "p999": at(0.999),
                "max": longest / 1000}


def listener(port):
    """The processes that listen on a local port."""
    inodes = set()
    for line in open("/proc/net/tcp").read().split("\n")[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == "0A" and \
                int(fields[1].split(":")[1], 16) == port:
            inodes.add("socket:[%s]" % fields[9])

    pids = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fds = os.listdir("/proc/%s/fd" % pid)
            if any(os.readlink("/proc/%s/fd/%s" % (pid, fd)) in inodes
                   for fd in fds):
                pids.append(int(pid))
        except OSError:
            continue
    return pids


def cpu_of(pids):
    """Seconds of CPU of these processes, all threads, user and system."""
    total = 0
    for pid in pids:
        try:
            tasks = os.listdir("/proc/%d/task" % pid)
            for task in tasks:
                path = "/proc/%d/task/%s/schedstat" % (pid, task)
                total += int(open(path).read().split()[0])
        except (OSError, IndexError, ValueError):
            try:
                fields = open("/proc/%d/stat" % pid).read()
            except OSError:
                continue
            fields = fields.rsplit(")", 1)[1].split()
            total += ((int(fields[11]) + int(fields[12])) * 1e9
                      / os.sysconf("SC_CLK_TCK"))
    return total / 1e9


def rss_of(pids):
    """Bytes: RssAnon, RssFile, RssShmem, VmRSS, summed."""
    total = dict.fromkeys(("RssAnon", "RssFile", "RssShmem", "VmRSS"), 0)
    for pid in pids:
        try:
            lines = open("/proc/%d/status" % pid).read().split("\n")
        except OSError:
            continue
        for line in lines:
            name, _, rest = line.partition(":")
            if name in total:
                total[name] += int(rest.split()[0]) * 1024
    return total


class Counts:
    """The counters of count.c, which all processes of one nginx share."""

    def __init__(self, path):
        self.path = path
        self.names = ["allocs", "alloc_bytes", "frees", "copies", "copied",
                      "syscalls"]
        text = open(os.path.join(env.BENCH, "count.h")).read()
        self.names += re.findall(r"X\((\w+)\)", text.split("COUNT_CALLS(X)")
                                 [1].split("typedef")[0])
        with open(path, "wb") as f:
            f.write(bytes(8 * len(self.names)))
        self.file = open(path, "rb")
        self.map = mmap.mmap(self.file.fileno(), 8 * len(self.names),
                             prot=mmap.PROT_READ)

    def read(self):
        values = struct.unpack("=%dQ" % len(self.names), self.map[:])
        return dict(zip(self.names, values))
