"""Writes a profile of N levels as JSON: make_deep.py scopes|names|sites|regions N"""

import json
import sys

what, count = sys.argv[1], int(sys.argv[2])
scopes = [{"function": "forward(x)"}]
sites = [
    {"kind": "method", "name": "forward", "flags": ["root"]},
    {"parent": 0, "kind": "aten::relu", "name": "y"},
]
regions = []
if what == "scopes":
    for i in range(count - 1):
        scopes.append({"parent": i, "module": "a", "function": "forward"})
    sites[1]["scope"] = count - 1
elif what == "names":
    scopes.append({"parent": 0, "module": ".".join(count * "a")})
    sites[1]["scope"] = 1
elif what == "sites":
    for i in range(count - 2):
        sites.append({"parent": i + 1, "kind": "prim::If", "flags": ["control"]})
else:  # the first lies in the site of slot 1
    for i in range(count - 2):
        regions.append({"parent": i + 1, "kind": "region", "name": "r"})
cells = [
    {"slot": i, "samples": [1000000 - i]}
    for i in range(len(sites) + len(regions))
]
json.dump(
    {
        "models": [{"id": 1, "scopes": scopes, "sites": sites}],
        "dynamic_sites": regions,
        "lanes": [{"cells": cells}],
    },
    sys.stdout,
)
