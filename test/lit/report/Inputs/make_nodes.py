"""Prints a profile with shapes, as JSON: make_nodes.py COUNT NAME

Of COUNT nodes three in four compute: convolutions, conversions, relus and views
by turns, of growing sizes, each named NAME and its number.
"""

import json
import sys

count, name = int(sys.argv[1]), sys.argv[2]
sites = [{"kind": "method", "name": "forward", "flags": ["root"]}]
shapes, cells, variants = [], [], []
for n in range(count):
    side = 4 + 2 * n
    image = f"float32[1,16,{side},{side}]"
    kind, signature = [
        ("aten::conv2d", f"{image} float32[16,16,3,3] * * * * * -> {image}"),
        ("aten::to", f"{image} * * * -> float16[1,16,{side},{side}]"),
        ("aten::relu", f"{image} -> {image}"),
        ("aten::view", f"{image} * -> {image}"),
    ][n % 4]
    time = 1000 * side * (n % 7 + 1)
    sites.append({"parent": 0, "kind": kind, "name": f"{name}{n}", "scope": 1})
    slot = count + 1 + n
    shapes.append({"slot": slot, "parent": n + 1, "kind": "shape", "name": signature})
    cells.append({"slot": n + 1, "samples": [time]})
    variants.append(
        {"slot": n + 1, "signature": slot, "count": 1, "time": time}
        | {"min": time, "max": time, "first_ticks": 1000 + n}
    )
cells.append({"slot": 0, "samples": [sum(c["samples"][0] for c in cells)]})
profile = {
    "process": {"clock": "injected", "host": "demo", "command": "serve"},
    "machine": {"flops_per_second": 10**11, "bytes_per_second": 10**10, "threads": 1},
    "models": [
        {
            "id": 14,
            "scopes": [
                {"class": "Net", "function": "forward(x)"},
                {"parent": 0, "module": name, "class": "Block", "function": "forward"},
            ],
            "sites": sites,
        }
    ],
    "dynamic_sites": shapes,
    "lanes": [{"name": "main", "cells": cells, "variants": variants}],
}
json.dump(profile, sys.stdout)
