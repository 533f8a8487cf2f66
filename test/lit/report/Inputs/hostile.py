"""Names that mean harm.

  hostile.py [torn]       a profile with them, as JSON
  hostile.py missing      asks torchprof-report for a file of such a name
  hostile.py clean FILE.. fails if a file holds what a terminal would obey
"""

import json
import subprocess
import sys
import unicodedata


def profile(torn):
    def cell(slot):
        return {"slot": slot, "samples": [50]}

    return {
        "process": {"pid": 1, "host": "h\x1b]0;title\x07",
                    "command": "run\u202e\u009b2J\nstate forged"},
        "models": [{
            "scopes": [{"function": "forward(x)"},
                       {"parent": 0, "module": "a\u202eb",
                        "function": "forward"}],
            "sites": [
                {"kind": "method", "name": "forward", "flags": ["root"]},
                {"parent": 0, "kind": "aten::mm\x1b[31m", "name": "=1+1\x00",
                 "scope": 1, "source": {"file": "n\x1b.py", "line": 3}},
                {"parent": 0, "kind": "aten::add", "name": "-1,\"x\""},
                {"parent": 0, "kind": "aten::add", "name": "+1"},
                {"parent": 0, "kind": "aten::add", "name": "@SUM(A1)"}]}],
        "dynamic_sites": [{"name": "\u009b31m"}],
        "lanes": [{"name": "t\x1b[2J", "current_slot": 1,
                   "cells": [{"slot": 0, "samples": [300]},
                             dict(cell(1), begins=2, torn=torn)]
                   + [cell(slot) for slot in range(2, 6)]}],
    }


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "missing":
        sys.exit(subprocess.run(["torchprof-report", "summary",
                                 "no\x1b[31msuch\u202e.tprof"]).returncode)
    if command == "clean":
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            bad = [c for c in text if unicodedata.category(c) in ("Cc", "Cf")
                   and c != "\n"]
            assert text and not bad, "%s holds %r" % (path, bad)
        return
    print(json.dumps(profile(command == "torn")))


main()
