"""Viewers for a long time: STREAMS connections that fetch playlists and
segments, and 10 clients that poll the status page."""

import threading
import time

import assets
import env
import load
import twin
from server import Server
from table import markdown

POLLERS = 10


def paths_of(server):
    """A viewer's diet: for ten segments of each track a playlist."""
    paths = []
    for name in ("hour.mp4", twin.SAMPLE):
        lists = ["/vod/%s/%s" % (name, p) for p in (
            "master.m3u8", "manifest.mpd", "v1/index.m3u8",
            "a1/index.m3u8")]
        for track in ("v1", "a1"):
            segments = load.segments(server, name, track)
            paths += segments
            paths += lists * (len(segments) // 10 // len(lists))
    return paths


class Watch(threading.Thread):
    def __init__(self, server):
        super().__init__()
        self.server, self.stop, self.seen = server, threading.Event(), []

    def run(self):
        while not self.stop.wait(1):
            self.seen.append(self.server.rss())


def run():
    if not assets.available():
        env.die("no ffmpeg, no long asset")

    streams = env.setting("STREAMS", 1800)
    seconds = env.setting("SECONDS", 1800)

    for name in ("hour.mp4", twin.SAMPLE):
        assets.make(name)
        assets.warm(name)

    with Server("soak", workers=len(env.CPUS),
                connections=streams + 512) as server:
        mixed = load.urls("soak", paths_of(server))
        status = load.urls("soak-status", ["/status"])

        # what is grown once is not a leak

        load.run(server, mixed, connections=streams, seconds=min(
            10, seconds / 4), seed=3)
        first = server.status()
        cpu, start = server.cpu(), time.monotonic()
        watch = Watch(server)
        watch.start()

        viewers = load.Client(server, mixed, connections=streams,
                              seconds=seconds, seed=1)
        pollers = load.Client(server, status, connections=POLLERS,
                              seconds=seconds, rest=0.1)
        v, p = viewers.result(), pollers.result()

        watch.stop.set()
        watch.join()
        cpu = (server.cpu() - cpu) / (time.monotonic() - start) * 100
        last = server.status()
        bad = server.log_lines()

    seen = watch.seen
    third = max(1, len(seen) // 10)

    def level(part, key):
        return env.median([s[key] for s in part]) / 1048576

    parts = (("start", seen[:third]),
             ("middle", seen[len(seen) // 2:len(seen) // 2 + third]),
             ("end", seen[-third:]))
    rows = [
        ["viewers, seconds", "%d, %d" % (streams, seconds)],
        ["requests", v["requests"]], ["errors", v["errors"]],
        ["requests/s", v["rps"]], ["MiB/s", v["mib_s"]],
        ["p50, ms", v["p50"] / 1000], ["p95, ms", v["p95"] / 1000],
        ["p99, ms", v["p99"] / 1000], ["max, ms", v["max"] / 1000],
        ["workers' CPU, % of one", cpu],
        ["status polls", p["requests"]], ["status errors", p["errors"]],
        ["status p99, ms", p["p99"] / 1000],
        ["requests shed", last["shed"] - first["shed"]],
        ["zone evictions", last["zone"]["evictions"]
         - first["zone"]["evictions"]],
        ["error log lines of level crit or worse", len(bad)],
    ]
    rows += [["workers' RssAnon at the %s, MiB" % name,
              level(part, "RssAnon")] for name, part in parts]
    rows += [["workers' VmRSS at the %s, MiB" % name,
              level(part, "VmRSS")] for name, part in parts]

    env.keep("soak", {"heads": ["what", "figure"], "rows": rows})
    print(markdown(["what", "figure"], rows))
    return 1 if v["errors"] or p["errors"] or bad else 0
