"""Load: the knee (wrk), latency at constant rates below it (h2load), TLS, and
files that are not in memory."""

import os
import re
import subprocess

import assets
import env
import load
import twin
from server import Server
from table import markdown

STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SHARES = (50, 80, 95)
FRAGMENT = os.path.join(env.BENCH, "wrk", "urls.lua")


def wrk(port, list_file, connections, seconds, tls=False):
    threads = min(connections, max(1, len(env.CPUS) - 1))
    done = subprocess.run(
        ["wrk", "-t", str(threads), "-c", str(connections), "-d",
         "%ds" % seconds, "-s", FRAGMENT, "--timeout", "30s",
         "http%s://127.0.0.1:%d" % ("s" if tls else "", port)],
        env=dict(os.environ, URLS=list_file), stdout=subprocess.PIPE,
        check=True).stdout.decode()
    v = [float(x) for x in re.search(r"RESULT (.*)", done).group(1).split()]
    return {"requests": int(v[0]), "errors": int(v[1]),
            "rps": v[0] / (v[2] / 1e6), "avg": v[3], "p50": v[4],
            "p99": v[5], "p999": v[6], "max": v[7]}


def knee(server, list_file, seconds):
    """Rates at rising concurrency; the knee is the first step that reaches
    95 % of the highest."""
    rows = []
    for c in STEPS:
        cpu = server.cpu()
        r = wrk(server.port, list_file, c, seconds)
        rows.append([c, r["rps"], r["p50"] / 1000, r["p99"] / 1000,
                     (server.cpu() - cpu) * 1e6 / max(1, r["requests"]),
                     r["errors"]])
    best = max(r[1] for r in rows)
    return rows, next(r for r in rows if r[1] >= 0.95 * best)


def h2load(port, list_file, connections, rate, seconds):
    """Constant rate: percentiles over the request log."""
    uris = list_file + ".h2load"
    log = list_file + ".log"
    with open(list_file) as f, open(uris, "w") as out:
        for line in f:
            out.write("http://127.0.0.1:%d%s\n" % (port, line.split()[0]))
    if os.path.exists(log):
        os.unlink(log)

    # its rate is that of each client, a whole number

    connections = max(1, min(connections, int(rate)))
    each = max(1, round(rate / connections))
    done = subprocess.run(
        ["h2load", "--h1", "-i", uris, "-c", str(connections), "-t", "1",
         "--rps", str(each), "-D", str(seconds), "--warm-up-time", "1",
         "--log-file", log], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT).stdout.decode()
    if not os.path.exists(log):
        env.die("h2load: %s" % done)

    times, bad = [], 0
    for line in open(log):
        fields = line.split("\t")
        if len(fields) > 1 and fields[1] == "-1":
            continue            # cut off by the end of the run
        if len(fields) < 3 or fields[1] != "200":
            bad += 1
        else:
            times.append(int(fields[2]))
    if not times:
        env.die("h2load measured nothing: %s" % done)
    return [each * connections, len(times) / seconds,
            env.quantile(times, 0.5) / 1000, env.quantile(times, 0.99) / 1000,
            env.quantile(times, 0.999) / 1000, bad]


def rates(seconds):
    tables = []
    with Server("rate", workers=len(env.CPUS)) as server:
        for what, paths in twin.lists_of(server, twin.SAMPLE).items():
            list_file = load.urls("rate-" + what, paths)
            load.run(server, list_file, connections=32, seconds=1.0)
            env.say("knee, %s" % what)
            rows, top = knee(server, list_file, seconds)
            tables.append({
                "heads": ["%s: connections" % what, "requests/s", "p50 ms",
                          "p99 ms", "CPU us", "errors"], "rows": rows})
            rows = []
            for share in SHARES:
                rows.append(["%d %% of %.0f/s" % (share, top[1])] + h2load(
                    server.port, list_file, max(top[0], 8),
                    top[1] * share / 100, seconds * 2))
            tables.append({
                "heads": ["%s: constant rate" % what, "asked 1/s", "had 1/s",
                          "p50 ms", "p99 ms", "p99.9 ms", "errors"],
                "rows": rows})
    return tables


# ---- TLS

def certificate():
    if os.path.exists(os.path.join(env.OUT, "tls.pem")):
        return
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3650",
                    "-subj", "/CN=localhost",
                    "-keyout", os.path.join(env.OUT, "tls.key"),
                    "-out", os.path.join(env.OUT, "tls.pem")],
                   check=True, stderr=subprocess.DEVNULL)


def kernel_tls():
    if os.path.exists("/proc/net/tls_stat"):
        return True
    try:
        return subprocess.run(["modprobe", "tls"],
                              stderr=subprocess.DEVNULL).returncode == 0 \
            and os.path.exists("/proc/net/tls_stat")
    except OSError:
        return False


def tls(seconds):
    certificate()
    ways = [("TLS", "")]
    if kernel_tls():
        ways.append(("TLS by the kernel", "ssl_conf_command Options KTLS;"))

    rows = []
    for name, conf in ways:
        with Server("tls", workers=1, pin=True, tls=conf) as server:
            for what, paths in twin.lists_of(server, twin.SAMPLE).items():
                ours, static = load.twin(server, paths)
                lists = {"static": load.urls("tls-static", static),
                         "ours": load.urls("tls-ours", ours)}
                found = {"static": [], "ours": []}
                for k in range(4):
                    for side in lists if k % 2 else reversed(list(lists)):
                        cpu = server.cpu()
                        r = wrk(server.tls_port, lists[side], 16, seconds,
                                tls=True)
                        found[side].append((server.cpu() - cpu) * 1e6
                                           / max(1, r["requests"]))
                        if r["errors"]:
                            env.die("TLS: errors")
                us, them = (env.median(found[s][1:])
                            for s in ("ours", "static"))
                rows.append(["%s, %s" % (name, what), us, them, us / them])
    if len(ways) == 1:
        rows.append(["TLS by the kernel: not in this kernel", None, None,
                     None])
    return [{"heads": ["worker CPU us a request", "ours", "static", "ratio"],
             "rows": rows}]


# ---- cold files

CGROUP = "/sys/fs/cgroup/memory"        # version 1
CGROUP2 = "/sys/fs/cgroup"
COLD_LIMIT = 256 * 1024 * 1024


def cgroup():
    """A memory control group smaller than the film, or None where we may
    not make one."""
    for base, limit in ((CGROUP, "memory.limit_in_bytes"),
                        (CGROUP2, "memory.max")):
        path = os.path.join(base, "vod-bench")
        try:
            os.makedirs(path, exist_ok=True)
            with open(os.path.join(path, limit), "w") as f:
                f.write(str(COLD_LIMIT))
            return path
        except OSError:
            continue
    return None


def cold(seconds):
    """Random segments of an hour: in memory, and from a control group that
    holds less than half of it."""
    group = cgroup()
    rows = []

    for hot in (True, False) if group else (True,):
        for aio in (True, False):
            for mmap in (True, False):
                row = cold_row(seconds, hot, aio, mmap, group)
                rows.append(["%s, aio threads %s, vod_mmap %s" % (
                    "in memory" if hot else "more than memory",
                    "on" if aio else "off", "on" if mmap else "off")] + row)

    if group:
        os.rmdir(group)
    else:
        rows.append(["more than memory: no right to make a control group"]
                    + [None] * 7)
    return [{"heads": ["video segments of an hour", "requests/s", "MiB/s",
                       "p50 ms", "p99 ms", "timer late p99 ms", "max ms",
                       "errors"], "rows": rows}]


def cold_row(seconds, hot, aio, mmap, group):
    if not hot:
        assets.drop(assets.path(twin.SAMPLE))

    with Server("cold", workers=1, aio=aio, timer=True, pin=True, zone="64m",
                http="" if mmap else "vod_mmap off;\n",
                cgroup=None if hot else group) as server:
        list_file = load.urls("cold", load.segments(server, twin.SAMPLE,
                                                    "v1"))
        if hot:
            assets.warm(twin.SAMPLE)
        load.run(server, list_file, connections=16, seconds=1.0, seed=5)
        server.timer_reset()
        r = load.run(server, list_file, connections=16, seconds=seconds,
                     seed=11)
        timer = server.timer_read()

    return [r["rps"], r["mib_s"], r["p50"] / 1000, r["p99"] / 1000,
            timer["p99"] / 1000, timer["max"] / 1000, r["errors"]]


def run():
    if not assets.available():
        env.die("no ffmpeg, no long asset")

    seconds = env.setting("SECONDS", 3)
    assets.make(twin.SAMPLE)
    assets.warm(twin.SAMPLE)

    tables = rates(seconds)
    env.say("TLS")
    tables += tls(seconds)
    env.say("cold files")
    tables += cold(seconds)

    env.keep("load", {"tables": tables})
    for table in tables:
        print(markdown(table["heads"], table["rows"]) + "\n")
    return 0
