"""A browser plays assets from the page of "make run".

    browser.py --browser PROGRAM --page URL [--player NAME] --asset PATH ...

Chooses each asset on the page as a person would, by its button, and waits for
its time to advance.  Results as oracle.py prints them: "ok" or "not ok", a
name, what was seen.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

PLAYED = 1.0            # seconds that have to be played
PATIENCE = 60           # seconds for all else

STATE = """(() => {
    const video = document.getElementById('video');
    const error = document.getElementById('error');
    return { time: video.currentTime, width: video.videoWidth,
             error: video.error ? 'media error ' + video.error.code : '',
             said: error.hidden ? '' : error.textContent };
})()"""


class Browser:
    """A headless browser at the end of a pipe (the DevTools protocol)."""

    def __init__(self, program, folder):
        here, there = os.pipe(), os.pipe()
        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu",
            "--no-first-run", "--mute-audio", "--disable-dev-shm-usage",
            "--autoplay-policy=no-user-gesture-required",
            "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--user-data-dir=" + folder,
            "--remote-debugging-pipe", "about:blank"]

        def child():
            # the two ends may be where the others are to go
            read, write = os.dup(here[0]), os.dup(there[1])
            read, write = os.dup2(read, 103), os.dup2(write, 104)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=child, close_fds=False)
        os.close(here[0])
        os.close(there[1])
        self.out, self.into = here[1], there[0]
        self.rest, self.number = b"", 0
        self.target, self.session = None, None

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")

        while True:
            while b"\0" not in self.rest:
                some = os.read(self.into, 65536)
                if not some:
                    raise SystemExit("the browser has ended")
                self.rest += some
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def open(self, url):
        old, self.session = self.target, None
        self.target = self.ask("Target.createTarget", url=url)["targetId"]
        if old:
            self.ask("Target.closeTarget", targetId=old)
        self.session = self.ask("Target.attachToTarget", targetId=self.target,
                                flatten=True)["sessionId"]

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression,
                          returnByValue=True)["result"]
        return result.get("value")

    def end(self):
        self.session = None
        try:
            self.ask("Browser.close")
            self.process.wait(10)
        except (SystemExit, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.1)


def report(good, name, seen=""):
    print("%s\t%s\t%s" % ("ok" if good else "not ok", name, seen), flush=True)
    return good


def play(browser, page, asset):
    browser.open(page)
    button = "[...document.querySelectorAll('#files li')].find(" \
             "li => li.dataset.path === %s)" % json.dumps(asset)

    if not report(until(lambda: browser.evaluate("!!" + button)),
                  asset + ": is in the list"):
        return False

    browser.evaluate(button + ".querySelector('button').click()")

    def over():
        state = browser.evaluate(STATE)
        return state if state["error"] or state["said"] \
            or state["time"] >= PLAYED else None

    state = until(over) or browser.evaluate(STATE)
    good = report(not state["error"] and not state["said"],
                  asset + ": no media error", state)
    return report(state["time"] >= PLAYED, asset + ": plays", state) and good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", required=True)
    parser.add_argument("--page", required=True)
    parser.add_argument("--player", default="auto")
    parser.add_argument("--asset", action="append", required=True)
    options = parser.parse_args()

    folder = tempfile.mkdtemp(prefix="vod-browser.")
    browser = Browser(options.browser, folder)
    try:
        page = "%s?player=%s" % (options.page, options.player)
        good = [play(browser, page, asset) for asset in options.asset]
    finally:
        browser.end()
        shutil.rmtree(folder, ignore_errors=True)

    sys.exit(not all(good))


main()
