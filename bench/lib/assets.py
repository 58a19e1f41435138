"""Media files of the benchmarks, made once and kept under build/bench."""

import os
import shutil
import subprocess
import sys

import env

CLIP_SECONDS = 3
FILM_SECONDS = 60

# name: (source, repetitions, layout for fixtures/mp4edit.py)

LOOPED = {
    "minute.mp4": ("clip", 20, None),
    "hour.mp4": ("clip", 1200, None),
    "ten-hours.mp4": ("clip", 12000, None),
    "film-sample.mp4": ("film", 60, None),
    "film-chunk.mp4": ("film", 60, "interleave=0.5"),
    "film-track.mp4": ("film", 60, "interleave=track"),
    "wide.mp4": ("wide", 10, None),
}

ENCODED = {"film": "1156k", "wide": "4000k"}


def ffmpeg(*argv):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + list(argv),
                   check=True)


def path(name):
    return os.path.join(env.ASSETS, name)


def available():
    return env.have("ffmpeg")


def source(name):
    """A clip to be repeated: the committed one, or a noisy picture of one
    minute at the rate that its name stands for."""
    if name == "clip":
        return env.CLIP

    file = os.path.join(env.OUT, "source", name + ".mp4")
    if os.path.exists(file):
        return file

    env.say("encoding %s (1 minute, %s bit/s)" % (name, ENCODED[name]))
    os.makedirs(os.path.dirname(file), exist_ok=True)
    rate = ENCODED[name]
    ffmpeg("-f", "lavfi", "-i",
           "testsrc2=size=640x360:rate=30,noise=alls=40:allf=t",
           "-f", "lavfi", "-i", "aevalsrc=random(0)*0.3|random(1)*0.3"
           ":sample_rate=48000", "-t", str(FILM_SECONDS),
           "-c:v", "libx264", "-preset", "veryfast", "-threads", "2",
           "-b:v", rate, "-minrate", rate, "-maxrate", rate,
           "-bufsize", rate, "-g", "60", "-keyint_min", "60",
           "-sc_threshold", "0", "-bf", "2", "-pix_fmt", "yuv420p",
           "-c:a", "aac", "-b:a", "128k", "-use_editlist", "0",
           file + ".part.mp4")
    os.rename(file + ".part.mp4", file)
    return file


def make(name):
    """The asset's path; makes it where it is not there yet."""
    file = path(name)
    if os.path.exists(file):
        return file

    os.makedirs(env.ASSETS, exist_ok=True)
    part = file + ".part.mp4"
    clip, times, layout = LOOPED[name]

    if layout:
        base = make("film-sample.mp4")
        env.say("laying out %s (%s)" % (name, layout))
        subprocess.run([sys.executable,
                        os.path.join(env.ROOT, "fixtures", "mp4edit.py"),
                        base, part, "moov=first", layout], check=True)
    else:
        env.say("making %s (%d x %s)" % (name, times, clip))
        ffmpeg("-stream_loop", str(times - 1), "-i", source(clip),
               "-c", "copy", "-use_editlist", "0", part)

    os.rename(part, file)
    return file


def warm(name):
    """Reads it into the page cache."""
    with open(path(name), "rb", buffering=0) as f:
        while f.read(1 << 20):
            pass


def drop(file):
    """Out of the page cache, as far as the kernel will."""
    fd = os.open(file, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def copies(n):
    """n files with different identities, each the committed clip."""
    folder = os.path.join(env.ASSETS, "many")
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        file = os.path.join(folder, "%05d.mp4" % i)
        if not os.path.exists(file):
            shutil.copyfile(env.CLIP, file)
    return ["many/%05d.mp4" % i for i in range(n)]
