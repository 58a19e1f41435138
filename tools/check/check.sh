#!/bin/bash
#
# What is kept true about the source, each line a check of its own:
#
#   rooms     who may include whom, and config names every source
#   compile   headers alone, all sources, gcc and clang, -Wall -Wextra -Werror
#   symbols   what the core uses and what the module exports
#   docs      every directive and variable is in README.md
#   examples  nginx accepts the examples of README.md
#   style     columns, tabs, spaces, comments
#
# Fails with file:line.  "tools/check/check.sh NAME" runs one.

set -u

cd "$(dirname "$0")/../.." || exit 2

failed=0
for name in ${*:-rooms compile symbols docs examples style}; do
    case $name in
        compile|symbols) run="bash tools/check/$name.sh" ;;
        *)               run="python3 tools/check/$name.py" ;;
    esac
    if $run; then
        echo "ok    $name"
    else
        echo "FAIL  $name" >&2
        failed=1
    fi
done

exit $failed
