"""Head to head: static files, this module, and any other server that the
user names: PEER_URL="name=http://127.0.0.1:8081/film.mp4/seg-{n}-v1.m4s"
(several with spaces between).  {n} runs from 1 to PEER_SEGMENTS (60)."""

import os
import re
import time
import types

import assets
import env
import load
import twin
from server import Server, cpu_of, listener, rss_of
from table import markdown

LEVELS = (10, 20, 30, 50, 100)
WARM_ROUNDS = 3
ROUNDS = 5


def peers():
    found = []
    for item in (os.environ.get("PEER_URL") or "").split():
        match = re.match(r"([^=]+)=http://(127\.0\.0\.1|localhost):(\d+)(/.*)",
                         item)
        if not match:
            env.die("PEER_URL: %s is not name=http://127.0.0.1:port/path"
                    % item)
        port = int(match.group(3))
        pids = listener(port)
        if not pids:
            env.die("PEER_URL: nobody listens on port %d" % port)
        n = env.setting("PEER_SEGMENTS", twin.SEGMENTS)
        paths = [match.group(4).replace("{n}", str(i + 1)) for i in range(n)]
        found.append((match.group(1), types.SimpleNamespace(
            port=port, pin=False), pids, load.urls(match.group(1), paths)))
    return found


def measure(row, level, seconds):
    _, server, pids, list_file = row
    cpu, start = cpu_of(pids), time.monotonic()
    result = load.run(server, list_file, connections=level, seconds=seconds)
    result["cpu"] = (cpu_of(pids) - cpu) / (time.monotonic() - start) * 100
    result["rss"] = rss_of(pids)["VmRSS"] / 1048576
    result["anon"] = rss_of(pids)["RssAnon"] / 1048576
    return result


def run():
    seconds = env.setting("PEER_SECONDS", 1.0)
    others = peers()

    assets.make(twin.SAMPLE)
    assets.warm(twin.SAMPLE)

    with Server("peers", workers=len(env.CPUS)) as server:
        paths = twin.lists_of(server, twin.SAMPLE)["video"]
        ours, static = load.twin(server, paths)
        rows = [("DIRECT", server, server.pids(),
                 load.urls("direct", static)),
                ("OURS", server, server.pids(), load.urls("ours", ours))]
        rows += others

        for row in rows:
            measure(row, 50, seconds)

        table = []
        for level in LEVELS:
            for row in rows:
                for _ in range(WARM_ROUNDS):
                    measure(row, level, seconds / 2)
            found = {row[0]: [] for row in rows}
            for k in range(ROUNDS):
                for row in rows if k % 2 == 0 else rows[::-1]:
                    found[row[0]].append(measure(row, level, seconds))
            for row in rows:
                runs = found[row[0]]

                def mid(key):
                    return env.median([r[key] for r in runs])

                table.append(["%s, c=%d" % (row[0], level),
                              mid("avg") / 1000, mid("p50") / 1000,
                              mid("p90") / 1000, mid("max") / 1000,
                              mid("mib_s"), mid("cpu"), mid("rss"),
                              mid("anon"), sum(r["errors"] for r in runs)])

    heads = ["row", "avg ms", "p50", "p90", "max", "MiB/s", "CPU %",
             "RSS MiB", "of it anon", "errors"]
    env.keep("peers", {"heads": heads, "rows": table})
    print(markdown(heads, table))
    return 0
