"""bench/RESULTS.md, from what the other commands have kept in build/."""

import os
import shutil
import statistics

import env
from regress import parse
from table import markdown, number

PAGE = os.path.join(env.BENCH, "RESULTS.md")
PLOTS = os.path.join(env.BENCH, "plots")

ABOUT = """\
# Results

Written by `make bench-results` from runs on one machine; the figures are of
that machine. What each row means is in [README.md](README.md).
"""

LIMITS = """\
## What these results do not show

* Client and server share one machine and its loopback: no network card, no
  round-trip time, no packet loss, no interrupts of a real link. The kernel
  lets a sender on loopback run far ahead of its reader.
* The client throws bodies away in the kernel. That leaves the server more of
  a small machine than a real client would, for static files and for ours
  alike; and it makes sendfile() of static files cheaper than it would be to a
  card without scatter-gather, since no byte of them is touched at all.
* Virtual processors: other guests of the host come and go. Ratios are medians
  of alternating rounds and move less than the figures they are made of.
* The film is a synthetic picture at a constant rate. A real one has larger
  and smaller frames, so longer and shorter runs.
* All but the rows that say otherwise are of files in the page cache.
* Counts (allocations, copies, system calls) are those that the C library is
  asked for; copies that the compiler has put into the code are not seen.
"""


def machine_table(names):
    rows = []
    for name in names:
        data = env.kept(name)
        if data:
            m = data["machine"]
            rows.append(["`%s`" % data["command"], m["date"], "%.1f"
                         % m["load"]])
    return markdown(["command", "date", "load before the end"], rows)


def section(title, text):
    return "## %s\n\n%s\n" % (title, text.rstrip())


def budgets(data):
    def cell(limit):
        return "-" if not limit else "%s %s" % (number(limit[0]), limit[1])
    return markdown(["what", "figure", "unit", "floor", "goal"],
                    [[r["what"].replace("    ", "- "), r["figure"],
                      r["unit"], cell(r["floor"]), cell(r["goal"])]
                     for r in data["rows"]])


def one_table(data):
    return markdown(data.get("heads") or ["what", "figure"], data["rows"])


def tables(data):
    text = "\n\n".join(markdown(t["heads"], t["rows"])
                       for t in data["tables"])
    for plot in data.get("plots", ()):
        os.makedirs(PLOTS, exist_ok=True)
        shutil.copyfile(os.path.join(env.KEPT, plot),
                        os.path.join(PLOTS, plot))
        text += "\n\n![%s](plots/%s)" % (plot[:-4], plot)
    return text


def layers(data):
    """Counts, and the median of the times where there are any."""
    _, counts = parse(data["lines"])
    times = {}
    for line in data["lines"]:
        fields = line.split()
        if line.startswith("Benchmark") and "ns/op" in fields:
            times.setdefault(fields[0], []).append(float(fields[2]))

    units = ["B/op", "allocs/op", "copied-B/op", "copies/op", "syscalls/op"]
    rows = []
    for name in counts:
        row = [name[len("Benchmark"):-len("-1")]]
        row += [number(counts[name][u], 1) if u in counts[name] else "-"
                for u in units]
        if times:
            row.append(number(statistics.median(times[name]), 0)
                       if name in times else "-")
        rows.append(row)
    return markdown(["operation"] + units + (["ns/op"] if times else []),
                    rows)


SECTIONS = (
    ("budgets", "Budgets", budgets),
    ("twin", "Against the same bytes as static files", one_table),
    ("growth", "Growth", tables),
    ("peers", "Head to head", one_table),
    ("load", "Load", tables),
    ("soak", "Soak", one_table),
    ("sizes", "Sizes", one_table),
    ("profile", "Where the time goes", tables),
)


def run():
    names = [s[0] for s in SECTIONS] + ["full", "quick"]
    there = [n for n in names if env.kept(n)]
    if not there:
        env.die("nothing has been run yet: make bench-all")

    m = env.kept(there[0])["machine"]
    text = [ABOUT, markdown(["machine", ""], [
        ["processor", "%s, %d" % (m["cpu"], m["cpus"])],
        ["memory, GiB", m["memory_gib"]], ["kernel", m["kernel"]],
        ["nginx", m["nginx"]], ["libavformat", m["libavformat"]],
        ["compiler", m["compiler"]]]) + "\n", machine_table(there) + "\n"]

    for name, title, write in SECTIONS:
        data = env.kept(name)
        if data:
            text.append(section(title, write(data)))

    data = env.kept("full") or env.kept("quick")
    if data:
        text.append(section("Layers", layers(data)))

    with open(PAGE, "w") as f:
        f.write("\n".join(text + [LIMITS]))
    print("bench: %s written" % os.path.relpath(PAGE, env.ROOT))
    return 0
