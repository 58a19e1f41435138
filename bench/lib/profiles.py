"""Where the worker's time goes, with perf: the functions that a request of
each kind spends most in, ours beside static files."""

import os
import re
import subprocess

import assets
import env
import load
import twin
from server import Server
from table import markdown

TOP = 12


def sample(server, list_file):
    data = os.path.join(env.OUT, "perf.data")
    client = load.Client(server, list_file, connections=16, seconds=4.0)
    subprocess.run(["perf", "record", "-q", "-o", data, "-p",
                    ",".join(map(str, server.pids())), "--", "sleep", "3"],
                   check=True, stderr=subprocess.DEVNULL)
    client.result()
    report = subprocess.run(["perf", "report", "-i", data, "--stdio",
                             "-F", "overhead,sym"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=True)
    found = re.findall(r"^\s*([0-9.]+)%\s+\[(.)\] (\S+)",
                       report.stdout.decode(), re.M)
    return [(name + (" (kernel)" if where == "k" else ""), float(share))
            for share, where, name in found[:TOP]]


def run():
    if not env.have("perf"):
        env.die("no perf (Debian: linux-perf)")
    if not assets.available():
        env.die("no ffmpeg, no long asset")

    assets.make(twin.SAMPLE)
    assets.warm(twin.SAMPLE)
    tables = []

    with Server("profile", workers=1, pin=True) as server:
        for what, paths in twin.lists_of(server, twin.SAMPLE).items():
            env.say(what)
            ours, static = load.twin(server, paths)
            sides = []
            for paths in (ours, static):
                list_file = load.urls("profile", paths)
                load.run(server, list_file, connections=16, seconds=0.5)
                sides.append(sample(server, list_file))
            rows = [list(a) + list(b) for a, b in zip(*sides)]
            tables.append({"heads": ["%s: ours" % what, "%", "static", "% "],
                           "rows": rows})

    env.keep("profile", {"tables": tables})
    for table in tables:
        print(markdown(table["heads"], table["rows"]) + "\n")
    return 0
