"""The client, and URL lists for it."""

import json
import os
import re
import subprocess

import env


def urls(name, lines):
    """A list in a file: paths, or (path, length)."""
    path = os.path.join(env.RUN, name + ".urls")
    os.makedirs(env.RUN, exist_ok=True)
    with open(path, "w") as f:
        for line in lines:
            f.write("%s %d\n" % line if isinstance(line, tuple)
                    else line + "\n")
    return path


class Client:
    """One run of bench/client.c; with hold=True it stops when all its
    connections have been answered once, and goes on at go()."""

    def __init__(self, server, list_file, connections=1, requests=0,
                 seconds=0.0, warmup=0, seed=0, rate=0, rest=0.0, hold=False):
        argv = [env.CLIENT, "-c", str(connections)]
        if requests:
            argv += ["-n", str(requests)]
        if seconds:
            argv += ["-t", str(seconds)]
        if warmup:
            argv += ["-w", str(warmup)]
        if seed:
            argv += ["-r", str(seed)]
        if rate:
            argv += ["-l", str(rate)]
        if rest:
            argv += ["-i", str(rest)]
        if hold:
            argv += ["-p"]
        argv += ["127.0.0.1", str(server.port), list_file]

        pin = None
        if server.pin:
            cpus = set(env.CPUS[1:])
            pin = lambda: os.sched_setaffinity(0, cpus)

        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        preexec_fn=pin)
        if hold:
            line = self.process.stdout.readline()
            if line != b"ready\n":
                env.die("the client did not come to its start")

    def go(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def result(self):
        out, _ = self.process.communicate()
        if self.process.returncode:
            env.die("the client failed: %s" % " ".join(self.process.args))
        return json.loads(out)


def run(server, list_file, **how):
    return Client(server, list_file, **how).result()


def measured(server, list_file, **how):
    """The client's result with the workers' CPU a request beside it."""
    cpu = server.cpu()
    result = run(server, list_file, **how)
    result["cpu_us"] = ((server.cpu() - cpu) * 1e6
                        / max(1, result["requests"]))
    return result


def segments(server, asset, track, prefix="/vod/"):
    """Paths of a track's segments, as its playlist names them."""
    base = "%s%s/%s/" % (prefix, asset, track)
    text = server.get(base + "index.m3u8").decode()
    return [base + line for line in text.split("\n")
            if line and not line.startswith("#")]


def header(server, asset, track):
    base = "/vod/%s/%s/" % (asset, track)
    text = server.get(base + "index.m3u8").decode()
    return base + re.search(r'URI="([^"]+)"', text).group(1)


def spread(items, n):
    """n of them, evenly over the whole."""
    if len(items) <= n:
        return items
    return [items[i * len(items) // n] for i in range(n)]


def twin(server, paths):
    """Writes what the server answers as files below /static/: the lists of
    both, with lengths."""
    ours, static = [], []
    for path in paths:
        body = server.get(path)
        name = path[len("/vod/"):]
        file = os.path.join(env.STATIC, name)
        if not os.path.exists(file) or open(file, "rb").read() != body:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as f:
                f.write(body)
        ours.append((path, len(body)))
        static.append(("/static/" + name, len(body)))
    return ours, static


def compare(server, lists, connections=16, seconds=2.0, rounds=5):
    """Alternating rounds over named lists: name -> median of each figure,
    and of the ratio of each round's figure to the first list's."""
    names = list(lists)
    found = {name: [] for name in names}

    for name in names:
        run(server, lists[name], connections=connections, seconds=0.5,
            warmup=connections * 4)

    for k in range(rounds):
        order = names if k % 2 == 0 else names[::-1]
        for name in order:
            found[name].append(measured(server, lists[name],
                                        connections=connections,
                                        seconds=seconds))

    result = {}
    for name in names:
        row = {}
        for key in ("rps", "mib_s", "cpu_us", "avg", "p50", "p90", "p95",
                    "p99", "max"):
            row[key] = env.median([r[key] for r in found[name]])
            base = [r[key] for r in found[names[0]]]
            row["ratio_" + key] = env.median(
                [r[key] / max(b, 1e-9)
                 for r, b in zip(found[name], base)])
        row["errors"] = sum(r["errors"] for r in found[name])
        row["spread_cpu"] = ((max(r["cpu_us"] for r in found[name])
                              - min(r["cpu_us"] for r in found[name]))
                             / row["cpu_us"])
        result[name] = row
    return result
