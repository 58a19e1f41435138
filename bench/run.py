"""The benchmarks: python3 bench/run.py NAME; "make bench*" calls it."""

import importlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "lib"))
sys.dont_write_bytecode = True

import env                                              # noqa: E402

COMMANDS = {
    "budgets": ("budgets", "run"), "enforce": ("budgets", "enforce"),
    "twin": ("twin", "run"), "growth": ("growth", "run"),
    "peers": ("peers", "run"), "sizes": ("sizes", "run"),
    "quick": ("regress", "quick"), "full": ("regress", "full"),
    "smoke": ("regress", "smoke"), "baseline": ("regress", "baseline"),
    "compare": ("regress", "compare"),
    "load": ("rate", "run"), "soak": ("soak", "run"),
    "profile": ("profiles", "run"), "results": ("results", "run"),
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        env.die("usage: run.py %s" % "|".join(COMMANDS))
    module, name = COMMANDS[sys.argv[1]]
    sys.exit(getattr(importlib.import_module(module), name)())


main()
