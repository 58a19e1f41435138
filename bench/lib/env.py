"""Where things are, what the caller asked for, and how results are kept."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCH)
BUILD = os.environ.get("VOD_BUILD") or os.path.join(ROOT, "build")
OUT = os.path.join(BUILD, "bench")
ASSETS = os.path.join(OUT, "assets")
STATIC = os.path.join(OUT, "static")
RUN = os.path.join(OUT, "run")
KEPT = os.path.join(OUT, "results")

MODULE = os.path.join(BUILD, "ngx_http_vod_module.so")
VODTOOL = os.path.join(BUILD, "vodtool")
CLIP = os.path.join(ROOT, "fixtures", "clip.mp4")
CLIENT = os.path.join(OUT, "client")
COUNT = os.path.join(OUT, "libcount.so")
BENCH_MODULE = os.path.join(OUT, "ngx_http_vod_bench_module.so")

CPUS = sorted(os.sched_getaffinity(0))


def setting(name, default):
    """A number from the environment."""
    value = os.environ.get(name) or str(default)
    try:
        return type(default)(value)
    except ValueError:
        die("%s=%s is not a number" % (name, value))


def die(text):
    print("bench: %s" % text, file=sys.stderr)
    sys.exit(2)


def say(text):
    print("bench: %s" % text, file=sys.stderr, flush=True)


def nginx():
    found = os.environ.get("NGINX_BINARY") or "nginx"
    return (shutil.which(found) or shutil.which("/usr/sbin/nginx")
            or die("no nginx"))


def output(*argv):
    """What a program prints, both streams, or "" where it is not there."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace")


def have(program):
    return shutil.which(program) is not None


def machine():
    """What a figure depends on besides the code."""
    model = ""
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = open("/proc/meminfo").readline().split()[1]
    version = output(nginx(), "-v").strip().split("/")[-1]
    modversion = output("pkg-config", "--modversion", "libavformat").strip()
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "cpu": model, "cpus": len(CPUS),
        "memory_gib": round(int(memory) / 1048576, 1),
        "kernel": platform.release(),
        "nginx": version, "libavformat": modversion,
        "compiler": output(os.environ.get("CC") or "gcc",
                           "--version").split("\n")[0],
        "load": os.getloadavg()[0],
    }


def keep(name, data):
    """Writes the result of one command, for RESULTS.md."""
    os.makedirs(KEPT, exist_ok=True)
    data = dict(data, machine=machine(), command=os.environ.get(
        "BENCH_COMMAND") or "make bench")
    path = os.path.join(KEPT, name + ".json")
    with open(path + ".new", "w") as f:
        json.dump(data, f, indent=1)
    os.rename(path + ".new", path)


def kept(name):
    try:
        with open(os.path.join(KEPT, name + ".json")) as f:
            return json.load(f)
    except OSError:
        return None


def quantile(values, q):
    """The nearest of the values, as the client does it."""
    values = sorted(values)
    return values[int(q * (len(values) - 1) + 0.5)]


def median(values):
    return quantile(values, 0.5)
