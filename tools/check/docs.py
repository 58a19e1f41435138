"""Every directive and variable that the module knows is in README.md, and
README.md speaks of no others."""

import glob
import re
import sys

TABLE = re.compile(r"^[^\n;]*\b(ngx_command_t|ngx_http_variable_t)\s+\w+\[\]"
                   r"\s*=\s*\{(.*?)^\};", re.S | re.M)
NAME = re.compile(r'\{\s*ngx_string\("(\w+)"\)')

errors = 0


def error(where, text):
    global errors
    errors += 1
    print("%s: %s" % (where, text), file=sys.stderr)


def known():
    """name -> (file:line, is it a variable)"""
    names = {}
    for path in sorted(glob.glob("ngx_vod_module/ngx/*.c")):
        text = open(path, encoding="utf-8").read()
        for table in TABLE.finditer(text):
            for name in NAME.finditer(table.group(2)):
                at = table.start(2) + name.start(1)
                where = "%s:%d" % (path, text.count("\n", 0, at) + 1)
                names[name.group(1), table.group(1)
                      == "ngx_http_variable_t"] = where
    return names


def main():
    names = known()
    readme = open("README.md", encoding="utf-8").read()
    directives = [n for n, variable in names if not variable]
    variables = [n for n, variable in names if variable]

    for (name, variable), where in sorted(names.items()):
        if variable:
            if not re.search(r"\$%s\b" % name, readme):
                error(where, "variable $%s is not in README.md" % name)
        elif not re.search(r"^(#+ .*|\|[^|]*)`?\b%s\b" % name, readme, re.M):
            error(where, "directive %s has no heading or table row in "
                  "README.md" % name)

    # an example may make variables of its own from ours

    variables += re.findall(r"\bmap\s+\S+\s+\$(vod_\w+)", readme)

    for number, line in enumerate(readme.split("\n"), 1):
        for name in re.findall(r"\$(vod_\w+)", line):
            if name not in variables:
                error("README.md:%d" % number, "no variable $%s" % name)
        for name in re.findall(r"^\s*(vod(?:_\w+)?) [^=|`]*;", line):
            if name not in directives:
                error("README.md:%d" % number, "no directive %s" % name)

    count = sum(variable for _, variable in names)
    print("docs: %d directives, %d variables" % (len(directives), count))
    if not directives or not count:
        error("tools/check/docs.py", "found no directives or no variables")
    sys.exit(errors != 0)


main()
