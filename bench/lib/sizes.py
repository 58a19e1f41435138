"""Bytes: of the module, and of what is kept of a file."""

import json
import os
import shutil
import subprocess

import assets
import env
from table import markdown

LIMIT = 524288


def measure():
    copy = os.path.join(env.OUT, "stripped.so")
    shutil.copyfile(env.MODULE, copy)
    subprocess.run(["strip", copy], check=True)
    found = {"stripped": os.path.getsize(copy), "limit": LIMIT,
             "unstripped": os.path.getsize(env.MODULE)}

    if assets.available():
        file = assets.make("hour.mp4")
        one = json.loads(subprocess.run(
            [os.path.join(env.OUT, "load"), file], check=True,
            stdout=subprocess.PIPE).stdout)
        found.update({k: one[k] for k in ("samples", "index_len",
                                          "timeline_len", "held",
                                          "bytes_read")})
        found["per_sample"] = ((one["index_len"] + one["timeline_len"])
                               / one["samples"])
        found["held_per_sample"] = one["held"] / one["samples"]
        found["zone"] = zone_bytes()
        found["zone_per_sample"] = found["zone"] / one["samples"]
    return found


def zone_bytes():
    """What the zone gives for the asset, in whole pages."""
    from server import Server
    with Server("sizes", workers=1) as server:
        before = server.status()["zone"]["free_pages"]
        server.get("/vod/hour.mp4/v1/1.m4s")
        return (before - server.status()["zone"]["free_pages"]) * 4096


def rows(f):
    out = [["module, stripped, bytes", f["stripped"]],
           ["    limit", f["limit"]]]
    if "samples" in f:
        out += [
            ["60-minute asset, samples", f["samples"]],
            ["index, bytes", f["index_len"]],
            ["timeline of 6 s, bytes", f["timeline_len"]],
            ["both, bytes a sample", f["per_sample"]],
            ["zone pages of both, bytes", f["zone"]],
            ["zone pages, bytes a sample", f["zone_per_sample"]],
            ["process that built it holds (RssAnon), bytes", f["held"]],
            ["the same, bytes a sample", f["held_per_sample"]],
            ["read of the file to index it, bytes", f["bytes_read"]],
        ]
    return out


def run():
    data = measure()
    data["rows"] = rows(data)
    env.keep("sizes", data)
    print(markdown(["what", "figure"], data["rows"]))
    return 0 if data["stripped"] <= LIMIT else 1
