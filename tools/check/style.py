"""Columns, tabs, spaces and comments of the C sources; columns aside, of the
scripts too."""

import glob
import re
import sys

COLUMNS = 80
C = ["ngx_vod_module/*/*.[ch]", "t/unit/*.[ch]", "t/fuzz/*.[ch]",
     "bench/*.[ch]",
     "bench/*/*.[ch]"]
SCRIPTS = ["tools/*.sh", "tools/*/*.sh", "tools/*/*.py", "tools/*/*.mk",
           "fixtures/*.sh", "fixtures/*.py", "t/*.t", "t/*/*.pm", "t/*/*.py", "t/*/*.sh", "config",
           "bench/*.py", "bench/*/*.py", "bench/*.mk", "t/*/*.mk", "bench/*/*.mk",
           ".ci/run"]
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")

# strings, characters and comments, blanked so that // in them is no comment

BLANK = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/',
                   re.S)

errors = 0


def error(path, number, text):
    global errors
    errors += 1
    print("%s:%d: %s" % (path, number, text), file=sys.stderr)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def check_line(path, number, line, is_c):
    if line != line.rstrip():
        error(path, number, "space at the end of the line")
    if MARKS.search(line):
        error(path, number, "a mark of unfinished work")
    if not is_c:
        return
    if len(line) > COLUMNS:
        error(path, number, "%d columns" % len(line))
    if "\t" in line:
        error(path, number, "tab")


def check(path, is_c):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()

    if text and not text.endswith("\n"):
        error(path, text.count("\n") + 1, "no newline at the end")

    for number, line in enumerate(text.split("\n"), 1):
        check_line(path, number, line, is_c)

    if is_c:
        for number, line in enumerate(BLANK.sub(blank, text).split("\n"), 1):
            if "//" in line:
                error(path, number, "// comment")


def main():
    count = 0
    for patterns, is_c in ((C, True), (SCRIPTS, False)):
        for pattern in patterns:
            for path in sorted(glob.glob(pattern)):
                check(path, is_c)
                count += 1

    print("style: %d files" % count)
    if not count:
        error("tools/check/style.py", 1, "found nothing to check")
    sys.exit(errors != 0)


main()
