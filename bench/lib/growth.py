"""What a request costs as files get longer, assets more, segments longer."""

import os

import assets
import env
import load
from server import Server
from table import markdown, svg

LENGTHS = (("1 minute", "minute.mp4", 1), ("1 hour", "hour.mp4", 60),
           ("10 hours", "ten-hours.mp4", 600))
COUNTS = (1, 100, 10000)
DURATIONS = (2, 6, 10)
HOT = 10                        # segments, of each file, all over it


def lists(server, tracks, names, prefix="/vod/", hot=HOT):
    """(name, track) -> list; each with the same number of segments."""
    found = {}
    for what, name in names:
        for track in tracks:
            paths = load.spread(load.segments(server, name, track, prefix),
                                hot)
            found["%s, %s" % (what, track)] = load.urls(
                "growth-%s-%s" % (os.path.basename(name), track), paths)
    return found


def lengths():
    """The same file, longer: ratio to the shortest, round by round."""
    names = [(what, assets.path(name)) for what, name, _ in LENGTHS]
    for _, name, _ in LENGTHS:
        assets.make(name)
        assets.warm(name)

    rows, series = [], []
    with Server("growth", workers=1, pin=True) as server:
        for track, what in (("v1", "video"), ("a1", "audio")):
            found = load.compare(server, lists(
                server, [track], [(w, os.path.basename(n))
                                  for w, n in names]),
                connections=8, seconds=1.5, rounds=7)
            points = []
            for label, _, minutes in LENGTHS:
                f = found["%s, %s" % (label, track)]
                rows.append(["%s segment, file of %s" % (what, label),
                             f["cpu_us"], f["ratio_cpu_us"], f["p50"],
                             f["rps"]])
                points.append((minutes, f["cpu_us"]))
            series.append((what, points))
    return rows, series


def many():
    """One hot segment, with more and more other assets in the zone."""
    found = assets.copies(max(COUNTS))
    rows, points, spread = [], [], []

    with Server("many", workers=1, pin=True, zone="1024m") as server:
        done = 0
        one = load.urls("many-one", ["/vod/%s/v1/1.m4s" % found[0]])

        for count in COUNTS:
            if count > done:
                load.run(server, load.urls("many-new", [
                    "/vod/%s/v1/1.m4s" % name for name in found[done:count]]),
                    requests=count - done, connections=8)
                done = count
            load.run(server, one, connections=8, seconds=0.5)
            runs = [load.measured(server, one, connections=8, seconds=1.5)
                    for _ in range(5)]
            cpu = env.median([r["cpu_us"] for r in runs])
            all_of = load.urls("many-all", ["/vod/%s/v1/1.m4s" % name
                                            for name in found[:count]])
            load.run(server, all_of, connections=8, seconds=1.0, seed=5)
            runs = [load.measured(server, all_of, connections=8, seconds=1.5,
                                  seed=5) for _ in range(5)]
            any_cpu = env.median([r["cpu_us"] for r in runs])
            entries = server.status()["zone"]["entries"]
            rows.append(["%s assets in the zone" % "{:,}".format(count),
                         entries, cpu, cpu / (points[0][1] if points
                                              else cpu), any_cpu])
            points.append((count, cpu))
            spread.append((count, any_cpu))
    return rows, [("one asset asked for", points),
                  ("any of them", spread)]


def durations():
    assets.make("hour.mp4")
    server_conf = "".join("""
        location /d%d/ {
            alias %s/;
            vod on;
            vod_segment_duration %ds;
        }""" % (d, env.ASSETS, d) for d in DURATIONS)

    rows, points = [], []
    with Server("durations", workers=1, pin=True, server=server_conf) as s:
        for track, what in (("v1", "video"), ("a1", "audio")):
            names = {}
            for d in DURATIONS:
                paths = load.spread(load.segments(s, "hour.mp4", track,
                                                  "/d%d/" % d), 60)
                names[str(d)] = load.urls("duration-%d" % d, paths)
            found = load.compare(s, names, connections=8, seconds=1.5,
                                 rounds=5)
            points.append((what, [(d, found[str(d)]["cpu_us"])
                                  for d in DURATIONS]))
            for d in DURATIONS:
                f = found[str(d)]
                rows.append(["%s segment of %d s" % (what, d), f["cpu_us"],
                             f["cpu_us"] / d, f["rps"], f["mib_s"]])
    return rows, points


def run():
    if not assets.available():
        env.die("no ffmpeg, no long asset")

    env.say("length of the file")
    length_rows, length_series = lengths()
    env.say("assets in the zone")
    many_rows, many_series = many()
    env.say("length of a segment")
    duration_rows, duration_series = durations()

    data = {"tables": [
        {"heads": ["hot segments", "CPU us", "against 1 minute", "p50 us",
                   "requests/s"], "rows": length_rows},
        {"heads": ["zone", "objects", "CPU us, one asset", "against 1",
                   "CPU us, any of them"], "rows": many_rows},
        {"heads": ["segment", "CPU us", "CPU us a second", "requests/s",
                   "MiB/s"], "rows": duration_rows},
    ]}
    data["plots"] = plots(length_series, many_series, duration_series)
    env.keep("growth", data)

    for table in data["tables"]:
        print(markdown(table["heads"], table["rows"]) + "\n")
    return 0


def plots(length_series, many_series, duration_series):
    """Written into build/; "make bench-results" copies them."""
    found = {
        "growth-length.svg": svg("Worker CPU a segment, by length of the "
                                 "file", "minutes", "CPU us", length_series),
        "growth-assets.svg": svg("Worker CPU a segment, by assets in the "
                                 "zone", "assets", "CPU us", many_series),
        "growth-duration.svg": svg("Worker CPU a segment, by its duration",
                                   "seconds", "CPU us", duration_series,
                                   log_x=False),
    }
    os.makedirs(env.KEPT, exist_ok=True)
    for name, text in found.items():
        with open(os.path.join(env.KEPT, name), "w") as f:
            f.write(text)
    return sorted(found)
