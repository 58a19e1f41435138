"""The same bytes as static files, from the same nginx, in the same run."""

import assets
import env
import load
from server import Server
from table import markdown

SAMPLE = "film-sample.mp4"
SOURCES = (("sample-interleaved", SAMPLE),
           ("chunk-interleaved, 0.5 s", "film-chunk.mp4"),
           ("each track contiguous", "film-track.mp4"))
SEGMENTS = 60                   # of a track, all over the hour: the hot set


def lists_of(server, name):
    """What is asked for: name -> paths."""
    return {
        "video": load.spread(load.segments(server, name, "v1"), SEGMENTS),
        "audio": load.spread(load.segments(server, name, "a1"), SEGMENTS),
        "playlists": ["/vod/%s/%s" % (name, p) for p in (
            "master.m3u8", "manifest.mpd", "v1/index.m3u8",
            "a1/index.m3u8")],
    }


def measure_asset(name, seconds=2.0, rounds=5, **how):
    found = {}
    with Server("twin", workers=1, pin=True, **how) as server:
        for what, paths in lists_of(server, name).items():
            ours, static = load.twin(server, paths)
            found[what] = load.compare(server, {
                "static": load.urls("twin-static", static),
                "ours": load.urls("twin-ours", ours)},
                seconds=seconds, rounds=rounds)
            found[what]["bytes"] = sum(n for _, n in ours) / len(ours)
            if found[what]["ours"]["errors"]:
                env.die("errors in the run: figures mean nothing")
    return found


HEADS = ["source, answer", "bytes", "requests/s", "static", "ratio",
         "MiB/s", "CPU us", "static", "ratio"]


def rows_of(source, found):
    rows = []
    for what in ("video", "audio", "playlists"):
        f = found[what]
        rows.append([
            "%s, %s" % (source, what), int(f["bytes"]),
            f["ours"]["rps"], f["static"]["rps"], f["ours"]["ratio_rps"],
            f["ours"]["mib_s"], f["ours"]["cpu_us"], f["static"]["cpu_us"],
            f["ours"]["ratio_cpu_us"]])
    return rows


def run():
    if not assets.available():
        env.die("no ffmpeg, no long asset")

    data = {"heads": HEADS, "rows": []}
    for source, name in SOURCES:
        assets.make(name)
        assets.warm(name)
        env.say(source)
        data["rows"] += rows_of(source, measure_asset(name))

    env.say("sample-interleaved, vod_mmap off")
    data["rows"] += rows_of("sample-interleaved, vod_mmap off", measure_asset(
        SAMPLE, http="vod_mmap off;"))
    env.say("sample-interleaved, sendfile off")
    data["rows"] += rows_of("sample-interleaved, sendfile off", measure_asset(
        SAMPLE, server="sendfile off;"))

    env.keep("twin", data)
    print(markdown(HEADS, data["rows"]))
    return 0
