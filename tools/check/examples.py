"""nginx accepts every nginx example of README.md, as it stands there."""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```nginx\n(.*?)^```$", re.S | re.M)
NGINX = os.environ.get("NGINX_BINARY") or "nginx"
MODULE = os.path.abspath("build/ngx_http_vod_module.so")

MAIN = {"load_module", "worker_processes", "worker_rlimit_nofile",
        "thread_pool", "events"}
SERVER = {"location"}


def statements(text):
    """The statements of the outermost level, each with its blocks."""
    found, start, depth = [], 0, 0
    for token in re.finditer(r"#[^\n]*|\"[^\"]*\"|'[^']*'|[{};]", text):
        mark = token.group()
        depth += (mark == "{") - (mark == "}")
        if depth == 0 and mark in ("}", ";"):
            found.append(text[start:token.end()].strip())
            start = token.end()
    return found


def configuration(text, folder):
    """A whole nginx.conf around an example, that touches only a folder."""
    parts = {"main": [], "http": [], "server": []}
    for statement in statements(text):
        name = re.match(r"(?:\s|#[^\n]*\n)*(\S+)", statement).group(1)
        where = "main" if name in MAIN else \
            "server" if name in SERVER else "http"
        parts[where].append(statement)

    text = "\n".join(
        ["load_module %s;" % MODULE, "pid nginx.pid;"]
        + ["events {}"] * (not re.search(r"^events\b", text, re.M))
        + [s for s in parts["main"] if not s.startswith("load_module modules")]
        + ["http {"]
        + ["%s_temp_path %s/%s;" % (kind, folder, kind) for kind in
           ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")]
        + parts["http"]
        + ["server {", "listen 80;"] + parts["server"] + ["}", "}"])

    # no port and no folder of the machine

    count = iter(range(1000))
    text = re.sub(r"\blisten [^;]+;", lambda _: "listen unix:%s/%d;"
                  % (folder, next(count)), text)
    return text.replace("/var/cache/nginx", folder + "/cache") \
        .replace("/var/log/nginx", folder)


def main():
    readme = open("README.md", encoding="utf-8").read()
    failed = 0
    blocks = list(BLOCK.finditer(readme))

    for block in blocks:
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/nginx.conf"
            with open(path, "w", encoding="utf-8") as conf:
                conf.write(configuration(block.group(1), folder))
            run = subprocess.run([NGINX, "-t", "-p", folder, "-c", path, "-e",
                                  "stderr"], capture_output=True, text=True)
            if run.returncode != 0:
                failed = 1
                print("README.md:%d: nginx does not accept this example\n%s"
                      % (readme.count("\n", 0, block.start()) + 1, run.stderr),
                      file=sys.stderr)

    print("examples: %d of nginx in README.md" % len(blocks))
    if len(blocks) < 5:
        print("tools/check/examples.py: found hardly any", file=sys.stderr)
        failed = 1
    sys.exit(failed)


main()
