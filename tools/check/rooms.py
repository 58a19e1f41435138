"""Who may include whom.

    core -> libc, core       av -> core, av, libav*, zlib, jansson
    ngx -> core, ngx, zlib, vod_av.h, vod_descriptor.h   cli -> core, av, cli
    t/unit -> core, av, libav*
"""

import glob
import os
import re
import sys

ROOT = "ngx_vod_module"

C99 = set("""assert complex ctype errno fenv float inttypes iso646 limits locale
    math setjmp signal stdarg stdbool stddef stdint stdio stdlib string tgmath
    time wchar wctype""".split())
POSIX = set("""dirent fcntl getopt glob poll pthread strings sys/mman sys/stat
    sys/time sys/types sys/uio sys/wait unistd""".split())

# what of av is for ngx

DOORS = ("vod_av.h", "vod_descriptor.h")

# what each room may include of ours, and of the system's

OURS = {
    "core": ("core",),
    "av": ("core", "av"),
    "ngx": ("core", "ngx"),
    "cli": ("core", "av", "cli"),
    "unit": ("core", "av", "unit"),
}
SYSTEM = {
    "core": re.compile(r"(%s)\.h$" % "|".join(C99 - {"time", "signal"})),
    "av": re.compile(r"libav(format|codec|util)/[a-z0-9_]+\.h$"
                     r"|(zlib|jansson|%s)\.h$"
                     % "|".join(C99 | POSIX)),
    "ngx": re.compile(r"(ngx_[a-z0-9_]+|linux/[a-z0-9_]+|zlib|%s)\.h$"
                      % "|".join(C99 | POSIX)),
    "cli": re.compile(r"(%s)\.h$" % "|".join(C99 | POSIX)),
    "unit": re.compile(r"libav(format|codec|util)/[a-z0-9_]+\.h$|(zlib|%s)\.h$"
                       % "|".join(C99 | POSIX)),
}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')

errors = 0


def error(where, text):
    global errors
    errors += 1
    print("%s: %s" % (where, text), file=sys.stderr)


def files():
    for room in ("core", "av", "ngx", "cli"):
        for path in sorted(glob.glob("%s/%s/*.[ch]" % (ROOT, room))):
            yield room, path
    for path in sorted(glob.glob("t/unit/*.[ch]")):
        yield "unit", path


def check_include(room, home, path, number, quote, name):
    where = "%s:%d" % (path, number)

    if quote == "<":
        if not SYSTEM[room].match(name):
            error(where, "%s may not include <%s>" % (room, name))
        return

    base = os.path.basename(name)
    if base not in home:
        error(where, "\"%s\" is in no room" % name)
    elif room == "ngx" and base in DOORS:
        pass
    elif home[base] not in OURS[room]:
        error(where, "%s may not include \"%s\", which is in %s"
              % (room, name, home[base]))


def check_config(sources):
    listed = set(re.findall(r"\$vod_dir/(\w+/\w+\.c)", open("config").read()))
    there = set(os.path.relpath(p, ROOT) for room, p in sources
                if p.endswith(".c") and room in ("core", "av", "ngx"))
    for path in sorted(there - listed):
        error("config:1", "does not name %s" % path)
    for path in sorted(listed - there):
        error("config:1", "names %s, which is not there" % path)


def main():
    sources = list(files())
    home = {os.path.basename(p): room for room, p in sources}
    count = 0

    for room, path in sources:
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                match = INCLUDE.match(line)
                if match:
                    count += 1
                    check_include(room, home, path, number, *match.groups())

    check_config(sources)
    print("rooms: %d includes of %d files" % (count, len(sources)))
    if not count:
        error("tools/check/rooms.py", "found nothing to check")
    sys.exit(errors != 0)


main()
