"""Checks the column bias_ns against the pairs and their offset in the JSON form.

usage: check_bias.py PROFILE [PAIRS]    PAIRS: of each node
"""

import json
import subprocess
import sys


def report(*args):
    out = subprocess.run(["torchprof-report", *args], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)


profile = sys.argv[1]
raw = report("convert", profile, "--to=json")
(model,) = raw["models"]
pairs = [0] * len(model["sites"])
for lane in raw["lanes"]:
    for cell in lane["cells"]:
        pairs[cell["slot"] - model["first_slot"]] += cell["pairs"]
        assert cell["pairs"] <= cell["count"], cell
nodes = [count for site, count in zip(model["sites"], pairs)
         if "root" not in site.get("flags", [])]
offset = raw["process"]["pair_offset_ticks_x16"] / 16
assert offset > 0, raw["process"]
assert sum(pairs) == sum(nodes), "a method is no pair"
if len(sys.argv) > 2:
    assert set(nodes) == {int(sys.argv[2])}, nodes
else:
    assert sum(nodes), nodes

anchors = raw["anchors"]
first, last = anchors[0], anchors[-1]
ns_per_tick = ((last["monotonic_ns"] - first["monotonic_ns"]) /
               (last["ticks"] - first["ticks"]))
rows = report("summary", profile, "--columns=kind,total_ns,bias_ns",
              "--sort=order", "--limit=0", "--format=json")["rows"]
reached = [count for site, count in enumerate(pairs)
           if any(cell["slot"] - model["first_slot"] == site
                  for lane in raw["lanes"] for cell in lane["cells"])]
assert len(rows) == len(reached), (rows, reached)
for row, count in zip(rows, reached):
    wanted = count * offset * ns_per_tick
    assert abs(row["bias_ns"] - wanted) <= 0.1 + wanted * 1e-3, (row, wanted)
