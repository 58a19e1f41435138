"""Every budget with its figure: a floor that must hold, and a goal."""

import json
import os
import re
import subprocess

import assets
import env
import load
import regress
import sizes
import twin
from server import Server
from table import markdown, number

HOUR = "hour.mp4"
WIDE = "wide.mp4"
SLOW = 100 * 1024               # bytes a second of a slow reader


class Budgets:
    def __init__(self):
        self.rows = []

    def add(self, what, figure, unit="", floor=None, goal=None, more=False):
        """Floor and goal: the most that is allowed, or the least (more)."""
        self.rows.append({"what": what, "figure": figure, "unit": unit,
                          "floor": self.verdict(figure, floor, more),
                          "goal": self.verdict(figure, goal, more)})
        env.say("%-52s %s %s" % (what, number(figure), unit))

    def skip(self, what, why):
        self.rows.append({"what": what, "figure": "skipped: " + why,
                          "unit": "", "floor": None, "goal": None})

    def verdict(self, figure, limit, more):
        if limit is None:
            return None
        good = figure >= limit if more else figure <= limit
        return [limit, "PASS" if good else "MISS"]

    def missed(self, which):
        return [r["what"] for r in self.rows
                if r[which] and r[which][1] == "MISS"]

    def table(self):
        def cell(limit):
            return "-" if not limit else "%s %s" % (number(limit[0]),
                                                     limit[1])
        return markdown(
            ["what", "figure", "unit", "floor", "goal"],
            [[r["what"], r["figure"], r["unit"], cell(r["floor"]),
              cell(r["goal"])] for r in self.rows])


def program(*argv):
    return json.loads(subprocess.run([os.path.join(env.OUT, "load")]
                                     + list(argv), check=True,
                                     stdout=subprocess.PIPE).stdout)


def first_load(b):
    file = assets.make(HOUR)

    cold = program("-c", "-r", "1", file)["rounds"][0]
    b.add("60-minute asset, first load, file not in memory",
          cold["total"] / 1000, "ms")

    assets.warm(HOUR)
    found = program("-r", "12", "-n", "3000", file)
    rounds = [r["total"] / 1000 for r in found["rounds"][1:]]
    b.add("60-minute asset, 11 loads: p50", env.median(rounds), "ms")
    b.add("60-minute asset, 11 loads: p95", env.quantile(rounds, 0.95), "ms",
          floor=250, goal=40)
    for part in ("index", "timeline", "render"):
        b.add("    of which %s: p50" % part, env.median(
            [r[part] / 1000 for r in found["rounds"][1:]]), "ms")

    headers = [t / 1000 for t in found["headers"]]
    b.add("header of a 6 s segment, 3,000: p50", env.median(headers), "ms")
    b.add("header of a 6 s segment, 3,000: p95",
          env.quantile(headers, 0.95), "ms", floor=10, goal=0.02)

    done = subprocess.run([os.path.join(env.OUT, "load-count"), "-n", "3000",
                           file], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    b.add("header of a 6 s segment: allocations", done.returncode, "",
          goal=0)


def through_server(b):
    """The first request for a file, and the first for a playlist of one
    whose index is there, through nginx; a touched file is a new one."""
    assets.make(HOUR)
    miss, hit = [], []

    with Server("first", workers=1) as server:
        for i in range(12):
            os.utime(assets.path(HOUR))
            one = load.run(server, load.urls("init", [
                "/vod/%s/v1/init.mp4" % HOUR]), requests=1)
            two = load.run(server, load.urls("media", [
                "/vod/%s/v1/index.m3u8" % HOUR]), requests=1)
            if i:
                miss.append(one["p50"] / 1000)
                hit.append(two["p50"] / 1000)

    b.add("first request for the asset, through nginx: p50",
          env.median(miss), "ms")
    b.add("first request for the asset, through nginx: p95",
          env.quantile(miss, 0.95), "ms", floor=250, goal=40)
    b.add("first playlist, index in the zone: p95",
          env.quantile(hit, 0.95), "ms", goal=1)


def playlists(b):
    assets.make(HOUR)

    with Server("playlists", workers=1, pin=True) as server:
        for what, name in (("HLS master", "master.m3u8"),
                           ("HLS media", "v1/index.m3u8"),
                           ("DASH MPD", "manifest.mpd")):
            ours, static = load.twin(server, ["/vod/%s/%s" % (HOUR, name)])
            found = load.compare(server, {
                "static": load.urls("static", static),
                "ours": load.urls("ours", ours)},
                connections=1, seconds=1.0, rounds=5)
            once = load.run(server, load.urls("ours", ours), requests=3000,
                            warmup=100)
            b.add("%s (%s bytes), 3,000: p50" % (what, number(ours[0][1])),
                  once["p50"] / 1000, "ms")
            b.add("%s, 3,000: p95" % what, once["p95"] / 1000, "ms", floor=2)
            b.add("%s, requests/s" % what, found["ours"]["rps"], "1/s")
            b.add("%s, requests/s against static" % what,
                  found["ours"]["ratio_rps"], "x", goal=1.0, more=True)


def source_bytes(b):
    assets.make(HOUR)

    with Server("source", workers=1) as server:
        for track in ("v1", "a1"):
            paths = load.spread(load.segments(server, HOUR, track), 150)
            beyond = 0
            for path in paths:
                before = server.status()["source_read_bytes"]
                body = server.get(path)
                read = server.status()["source_read_bytes"] - before
                at = body.index(b"mdat") + 4
                beyond += max(0, read - (len(body) - at))
            b.add("source bytes beyond the payload, a %s segment"
                  % ("video" if track == "v1" else "audio"),
                  beyond / len(paths), "B", floor=262144, goal=0)


def allocations(b):
    """What the worker asks of the heap and of the kernel for a hot segment,
    beside the same bytes as a file."""
    assets.make(HOUR)

    with Server("allocations", count=True) as server:
        for track, what in (("v1", "video"), ("a1", "audio")):
            paths = load.segments(server, HOUR, track)
            ours, static = load.twin(server, [paths[len(paths) // 2]])
            found = [regress.counted(server, load.urls("alloc", side), 1)
                     for side in (ours, static)]

            def per_request(key):
                return [round(f[key] / n, 1) for f, n in found]

            us, them = per_request("allocs")
            b.add("heap allocations of a %s segment beyond a static file's"
                  % what, us - them, "", goal=0)
            us, them = per_request("syscalls")
            b.add("system calls of a %s segment (static file: %s)"
                  % (what, number(them)), us, "")


def streams(b):
    n = env.setting("BUDGET_STREAMS", 1000)
    seconds = env.setting("BUDGET_SECONDS", 10.0)
    workers = env.setting("BUDGET_WORKERS", 4)

    assets.make(HOUR)
    assets.warm(HOUR)

    with Server("streams", workers=workers, connections=n + 512,
                timer=True) as server:
        paths = (load.segments(server, HOUR, "v1")
                 + load.segments(server, HOUR, "a1"))
        ours, static = load.twin(server, paths)
        lists = {"ours": load.urls("streams", ours),
                 "static": load.urls("streams-static", static)}

        found = {}
        for name in ("static", "ours"):
            load.run(server, lists[name], connections=n, seconds=1.0,
                     seed=7, warmup=n)
            server.timer_reset()
            found[name] = load.measured(server, lists[name], connections=n,
                                        seconds=seconds, seed=1, warmup=n)
            found[name]["timer"] = server.timer_read()
        shed = server.status()["shed"]

    ours, static = found["ours"], found["static"]
    name = "{:,} streams".format(n)
    b.add("%s: requests" % name, ours["requests"])
    b.add("%s: errors" % name, 100.0 * ours["errors"]
          / max(1, ours["requests"]), "%", floor=0.1, goal=0)
    b.add("%s: shed" % name, shed, "", goal=0)
    b.add("%s: connections refused" % name, ours["refused"], "", goal=0)
    b.add("%s: requests/s" % name, ours["rps"], "1/s")
    b.add("%s: throughput" % name, ours["mib_s"], "MiB/s")
    b.add("%s: throughput against static" % name,
          ours["mib_s"] / max(static["mib_s"], 1e-9), "x", goal=0.7,
          more=True)
    b.add("%s: whole segment: p50" % name, ours["p50"] / 1000, "ms")
    b.add("%s: whole segment: p95" % name, ours["p95"] / 1000, "ms")
    b.add("%s: 1 ms timer in the worker, late: p50" % name,
          ours["timer"]["p50"] / 1000, "ms")
    b.add("%s: 1 ms timer in the worker, late: p99" % name,
          ours["timer"]["p99"] / 1000, "ms")
    b.add("%s: the same under static files: p99" % name,
          static["timer"]["p99"] / 1000, "ms")


def memory(b):
    """Workers' own memory under slow and fast readers.  The kernel lends a
    connection on loopback 2.5 MB and more of its own, so that a worker
    holds nothing for long; with small socket buffers it has to."""
    n = env.setting("BUDGET_STREAMS", 1000)
    slow = "at %d KB/s" % (SLOW / 1024)

    assets.make(WIDE)
    assets.warm(WIDE)

    for buffers, listen in (("", ""), (", socket buffers of 64 KB",
                                       "sndbuf=64k")):
        with Server("memory", workers=1, connections=n + 512,
                    listen=listen) as server:
            paths = load.spread(load.segments(server, WIDE, "v1"), 20)
            ours, static = load.twin(server, paths)

            # what the first requests leave behind is not a connection's

            for paths in (ours, static):
                load.run(server, load.urls("memory", paths), connections=64,
                         seconds=1.0)

            for name, paths, rate in ((slow, ours, SLOW),
                                      ("at full speed", ours, 0),
                                      ("static, " + slow, static, SLOW)):
                held, kernel = held_memory(server, load.urls(
                    "memory", paths), n, rate)
                what = "memory a connection, 4 Mb/s video, %s%s" % (name,
                                                                    buffers)
                if paths is static:
                    b.add(what, held, "B")
                else:
                    b.add(what, held, "B", floor=512 * 1024, goal=64 * 1024)
                if rate:
                    b.add("    the kernel's for its two ends", kernel, "B")


def kernel_memory():
    """Bytes that TCP holds, of all sockets of the machine."""
    line = re.search(r"^TCP:.* mem (\d+)", open("/proc/net/sockstat").read(),
                     re.M)
    return int(line.group(1)) * os.sysconf("SC_PAGE_SIZE")


def held_memory(server, list_file, n, rate):
    """The most that the workers held beyond what they held before, and the
    kernel too, bytes a connection."""
    idle, idle_kernel = server.rss()["RssAnon"], kernel_memory()
    client = load.Client(server, list_file, connections=n, seconds=7.0,
                         rate=rate, seed=3)
    peak, peak_kernel = idle, idle_kernel

    while client.process.poll() is None:
        peak = max(peak, server.rss()["RssAnon"])
        peak_kernel = max(peak_kernel, kernel_memory())
        try:
            client.process.wait(0.1)
        except subprocess.TimeoutExpired:
            pass

    if client.result()["errors"]:
        env.die("errors in the run: memory means nothing")
    return (peak - idle) / n, (peak_kernel - idle_kernel) / n


def cpu(b):
    assets.make(twin.SAMPLE)
    found = twin.measure_asset(twin.SAMPLE)

    b.add("worker CPU, 6 s video segment, against static",
          found["video"]["ours"]["ratio_cpu_us"], "x", goal=1.2)
    b.add("worker CPU, 6 s audio segment, against static",
          found["audio"]["ours"]["ratio_cpu_us"], "x", goal=2.0)
    b.add("worker CPU, playlists, against static",
          found["playlists"]["ours"]["ratio_cpu_us"], "x", goal=1.0)


def size(b):
    found = sizes.measure()
    b.add("module, stripped", found["stripped"], "B", floor=524288,
          goal=524288)
    if "per_sample" in found:
        b.add("index of the 60-minute asset, with its timeline",
              found["per_sample"], "B/sample", goal=8)


def run():
    b = Budgets()

    size(b)
    if assets.available():
        for part in (first_load, through_server, playlists, source_bytes,
                     allocations, streams, memory, cpu):
            part(b)
    else:
        b.skip("rows of the 60-minute asset", "no ffmpeg")

    env.keep("budgets", {"rows": b.rows})
    print(b.table())

    for which in ("floor", "goal"):
        missed = b.missed(which)
        print("\n%ss missed: %s" % (which, "; ".join(missed) or "none"))

    run.missed = b.missed("floor") + (
        b.missed("goal") if env.setting("BUDGET_GOALS", 1) else [])
    return 0


def enforce():
    run()
    return 1 if run.missed else 0
