"""Prints a profile of COUNT modules as JSON: make_modules.py COUNT

Each holds one relu, and all take the same time.
"""

import json
import sys

modules = range(int(sys.argv[1]))
scopes = [{"class": "Net", "function": "forward(x)"}]
sites = [{"kind": "method", "name": "forward", "flags": ["root"]}]
cells = [{"slot": 0, "samples": [1000 * len(modules)]}]
for n in modules:
    scopes.append(
        {"parent": 0, "module": str(n), "class": "Block", "function": "forward"}
    )
    sites.append({"parent": 0, "kind": "aten::relu", "name": f"x{n}", "scope": n + 1})
    cells.append({"slot": n + 1, "samples": [1000]})
profile = {
    "process": {"clock": "injected", "host": "demo", "command": "serve"},
    "models": [{"id": 15, "scopes": scopes, "sites": sites}],
    "lanes": [{"name": "main", "cells": cells}],
}
json.dump(profile, sys.stdout)
