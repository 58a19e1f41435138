"""Line coverage by room, from gcov's JSON.

    coverage.py MODULE COV

MODULE is the folder of the rooms, COV that of the objects.  Prints a line a
room and the least covered files; writes COV/uncovered.txt: file:line and the
line, of each that never ran.
"""

import collections
import glob
import json
import os
import subprocess
import sys

LEAST = 12


def lines_of(cov):
    """{file: {line: times it ran}} of all objects together."""
    files = collections.defaultdict(dict)
    notes = [p for p in sorted(glob.glob(cov + "/obj/*/*.gcno"))
             if os.path.basename(os.path.dirname(p)) != "unit"]
    for note in notes:
        run = subprocess.run(["gcov", "--json-format", "--stdout", note],
                             capture_output=True, text=True, check=True)
        for text in run.stdout.splitlines():
            if not text.startswith("{"):
                continue
            for entry in json.loads(text)["files"]:
                found = files[os.path.normpath(entry["file"])]
                for line in entry["lines"]:
                    number = line["line_number"]
                    found[number] = found.get(number, 0) + line["count"]
    return files


def percent(hit, total):
    return 100.0 * hit / total if total else 0.0


def main():
    module, cov = sys.argv[1:]
    rooms = collections.defaultdict(lambda: [0, 0])
    least = []
    missed = []

    for path, lines in sorted(lines_of(cov).items()):
        if not path.startswith(module + "/"):
            continue
        hit = sum(1 for count in lines.values() if count)
        room = path.split("/")[1]
        rooms[room][0] += hit
        rooms[room][1] += len(lines)
        least.append((percent(hit, len(lines)), len(lines) - hit, path))
        source = open(path, encoding="utf-8").read().split("\n")
        missed += ["%s:%d: %s" % (path, number, source[number - 1].strip())
                   for number in sorted(lines) if not lines[number]]

    if not rooms:
        print("coverage: nothing was measured", file=sys.stderr)
        return 1

    with open(cov + "/uncovered.txt", "w", encoding="utf-8") as out:
        out.write("\n".join(missed) + "\n")

    for room, (hit, total) in sorted(rooms.items()):
        print("%-5s %6d of %6d lines  %5.1f %%"
              % (room, hit, total, percent(hit, total)))
    print("least covered:")
    for part, count, path in sorted(least)[:LEAST]:
        print("  %5.1f %%  %3d not run  %s" % (part, count, path))
    print("every line that did not run: %s/uncovered.txt" % cov)
    return 0


sys.exit(main())
