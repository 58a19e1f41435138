"""The regression suite: counts first, in Go's benchmark text format.

Layers of core/ and av/ from bench/micro, the shared zone from the bench
module, and requests of a running worker with count.c preloaded."""

import os
import re
import subprocess
import sys
import time

import env
import load
from server import Server

BASELINE = os.path.join(env.BENCH, "baseline.txt")

# a rise in one of these is a regression

STRICT = ("allocs/op", "copied-B/op", "syscalls/op")
SLACK = {"allocs/op": 0.0, "syscalls/op": 0.0, "copied-B/op": 0.005}

# and bytes that a request copies more where this folder's name is longer

PATH = 256

REQUESTS = 256                  # of a counted case, over all connections
REPEATS = 3


def pattern():
    return os.environ.get("BENCH") or ""


def wanted(name):
    return pattern() in name


# ---- layers

def micro(counted, *options):
    program = "micro-count" if counted else "micro"
    argv = [os.path.join(env.OUT, program)] + list(options)
    if pattern():
        argv += ["-b", pattern()]
    return subprocess.run(argv + [env.CLIP], check=True,
                          stdout=subprocess.PIPE).stdout.decode().splitlines()


# ---- the zone

def zone(ms=0):
    """The bench module works while a worker starts, and ends with "done"."""
    if not any(wanted(n) for n in re.findall(r'"(Zone\w+)"', open(os.path.join(
            env.BENCH, "ngx", "ngx_http_vod_bench_module.c")).read())):
        return []

    out = os.path.join(env.RUN, "zone", "zone.txt")
    http = "vod_bench_zone %s 8m%s;\n" % (out, " %d" % ms if ms else "")

    with Server("zone", count=not ms, http=http, wait=False):
        for _ in range(600):
            time.sleep(0.1)
            try:
                lines = open(out).read().splitlines()
            except OSError:
                continue
            if lines and lines[-1] == "done":
                return [line for line in lines[:-1] if wanted(line)]
    env.die("the bench module did not come to its end")


# ---- requests

CASES = (
    # name, path, connections
    ("ServerStaticVideo", "/static/clip.mp4/v1/1.m4s", 1),
    ("ServerStaticAudio", "/static/clip.mp4/a1/1.m4s", 1),
    ("ServerStaticMedia", "/static/clip.mp4/v1/index.m3u8", 1),
    ("ServerVideo", "/vod/clip.mp4/v1/1.m4s", 1),
    ("ServerAudio", "/vod/clip.mp4/a1/1.m4s", 1),
    ("ServerInit", "/vod/clip.mp4/v1/init.mp4", 1),
    ("ServerMaster", "/vod/clip.mp4/master.m3u8", 1),
    ("ServerMedia", "/vod/clip.mp4/v1/index.m3u8", 1),
    ("ServerMpd", "/vod/clip.mp4/manifest.mpd", 1),
    ("ServerVideoReads", "/reads/clip.mp4/v1/1.m4s", 1),
    ("ServerFanOut1", "/vod/clip.mp4/v1/1.m4s", 1),
    ("ServerFanOut64", "/vod/clip.mp4/v1/1.m4s", 64),
)

SERVER = """\
location /reads/ {
            alias %s/;
            vod on;
            vod_mmap off;
        }
""" % os.path.dirname(env.CLIP)


def server_lines():
    """Each case asked REQUESTS times."""
    cases = [c for c in CASES if wanted(c[0])]
    if not cases:
        return []

    lines = []
    with Server("counts", count=True, server=SERVER,
                assets=os.path.dirname(env.CLIP)) as server:
        load.twin(server, ["/vod/clip.mp4/" + p for p in (
            "v1/1.m4s", "a1/1.m4s", "v1/index.m3u8")])
        server.get("/reads/clip.mp4/v1/1.m4s")

        for name, path, connections in cases:
            found, n = counted(server, load.urls("count", [path]),
                               connections)
            lines.append(line_of(name, n, found))
    return lines


def counted(server, list_file, connections):
    """Counts of n requests after the same number, so that what a worker and
    a connection do once is over.  The least of several runs: now and then a
    second ends in between, and nginx writes the time anew."""
    runs = []
    for _ in range(REPEATS):
        client = load.Client(server, list_file, connections=connections,
                             requests=REQUESTS, warmup=REQUESTS, hold=True)
        time.sleep(0.05)
        before = server.counts.read()
        client.go()
        result = client.result()
        time.sleep(0.05)
        after = server.counts.read()

        if result["errors"] or result["requests"] != REQUESTS:
            env.die("errors in the run: counts mean nothing")
        runs.append({k: after[k] - before[k] for k in after})

    found = {k: min(r[k] for r in runs) for k in runs[0]}

    # what is waited for depends on who is faster

    found["syscalls"] -= found["epoll_wait"]

    # connections that the client closes at its end are not the requests'

    for name in ("close", "recv", "epoll_ctl", "shutdown"):
        found["syscalls"] -= min(found[name], connections)
    return found, REQUESTS


def line_of(name, n, found):
    def per_op(key, digits):
        return round(found[key] / n, digits)
    return ("Benchmark%s-1 \t%8d\t%12.1f B/op\t%8.2f allocs/op\t%12.1f "
            "copied-B/op\t%8.2f copies/op\t%8.2f syscalls/op" % (
                name, n, per_op("alloc_bytes", 0), per_op("allocs", 1),
                per_op("copied", 0), per_op("copies", 0),
                per_op("syscalls", 1)))


# ---- commands

def head():
    m = env.machine()
    return ["goos: linux", "goarch: %s" % os.uname().machine,
            "pkg: ngx_vod_module", "cpu: %s" % m["cpu"],
            "nginx: %s" % m["nginx"], "libavformat: %s" % m["libavformat"],
            "compiler: %s" % m["compiler"]]


def counts():
    return micro(True, "-n", "20") + zone() + server_lines()


def quick():
    lines = counts()
    print("\n".join(head() + lines))
    if not pattern():
        env.keep("quick", {"lines": head() + lines})
    return 0


def full():
    lines = counts() + micro(False, "-t", "200", "-s", "10")
    for _ in range(10):
        lines += zone(100)
    print("\n".join(head() + lines))
    if not pattern():
        env.keep("full", {"lines": head() + lines})
    return 0


def smoke():
    """Everything that the other commands run, for an instant."""
    micro(True, "-n", "1")
    micro(False, "-t", "1")
    lines = zone() + zone(1) + server_lines()
    subprocess.run([os.path.join(env.OUT, "load"), "-r", "2", "-n", "10",
                    env.CLIP], check=True, stdout=subprocess.DEVNULL)
    for path in sorted(os.listdir(os.path.join(env.BENCH, "lib"))):
        if path.endswith(".py"):
            __import__(path[:-3])
    print("bench: smoke ok, %d lines" % len(lines))
    return 0 if lines else 1


def baseline():
    lines = head() + counts()
    with open(BASELINE, "w") as f:
        f.write("\n".join(lines) + "\n")
    print("bench: %s written" % os.path.relpath(BASELINE, env.ROOT))
    return 0


def parse(lines):
    """(what the file says of its machine, name -> unit -> value)"""
    about, found = {}, {}
    for line in lines:
        if line.startswith("Benchmark"):
            fields = line.split()
            units = dict(zip(fields[3::2], map(float, fields[2::2])))
            found.setdefault(fields[0], units)
        elif ": " in line:
            key, value = line.split(": ", 1)
            about[key] = value.strip()
    return about, found


def compare():
    try:
        old_about, old = parse(open(BASELINE).read().splitlines())
    except OSError:
        env.die("no baseline: make bench-baseline")
    about, new = parse(head() + counts())

    for key in ("nginx", "libavformat", "compiler"):
        if about.get(key) != old_about.get(key):
            print("bench: the baseline is of %s %s, this is %s: a difference "
                  "may be theirs" % (key, old_about.get(key), about.get(key)))

    risen = fallen = 0
    for name in sorted(old):
        if not wanted(name):
            continue
        if name not in new:
            print("FAIL  %s is gone" % name)
            risen += 1
            continue
        for unit in STRICT:
            before, now = old[name].get(unit, 0), new[name].get(unit, 0)
            room = before * SLACK[unit]
            if unit == "copied-B/op" and name.startswith("BenchmarkServer"):
                room += PATH
            if now > before + room:
                print("FAIL  %s: %s %s, was %s" % (name, unit, now, before))
                risen += 1
            elif now < before - room:
                print("less  %s: %s %s, was %s" % (name, unit, now, before))
                fallen += 1

    for name in sorted(set(new) - set(old)):
        print("new   %s" % name)
    print("bench: %d benches, %d counts have risen, %d have fallen%s"
          % (len(new), risen, fallen,
             "" if risen or not fallen else ": make bench-baseline"))
    return 1 if risen else 0
