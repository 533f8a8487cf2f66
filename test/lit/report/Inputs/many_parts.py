"""Makes four parts of a process that ran 600 times in each, or checks that what
joins them has the room of one.

  many_parts.py PREFIX [JOINED.json]"""

import json
import sys

RUNS, PARTS, KEPT = 600, 4, 1024


def part(number):
    ends = [10000 * number + 10 * run for run in range(RUNS)]
    torn = number == PARTS  # only the last can be, in a process that was killed
    runs = [{"slot": 0, "count": RUNS, "samples": [[end, 7] for end in ends]}]
    return {
        "process": {"pid": 42, "clock": "injected", "start_ticks": 1,
                    "end_ticks": 10000 * number + 9000},
        "epoch": number,
        "reset_ticks": 10000 * number - 500,
        "models": [{"id": 9, "sites": [
            {"kind": "method", "name": "forward", "flags": ["root"]},
            {"parent": 0, "kind": "aten::mul", "name": "y"}]}],
        "dynamic_sites": [{"parent": 1, "kind": "shape",
                           "name": "float32[2] -> float32[2]"}],
        "lanes": [{
            "thread": 100, "name": "main",
            # The slot is continued in a second cell.
            "cells": [{"slot": 0, "samples": [7] * RUNS},
                      {"slot": 1, "samples": [number, 4]},
                      {"slot": 1, "samples": [5]}],
            "runs": runs,
            "measures": [{"name": "cpu", "cells": [
                {"slot": 1, "count": 3, "sum": 9 + number, "max": 5 + number,
                 "time": 9, "nested": 1}] +
                [{"slot": 1, "torn": True, "count": 0, "sum": 1, "max": 1}] * torn},
                {"name": "peak", "cells": [
                    {"slot": 1, "count": 3, "sum": 50 - number,
                     "max": 50 - number}]}],
            "variants": [{"slot": 1, "signature": 2, "count": 3,
                          "time": number + 9, "min": min(number, 4), "max": 5,
                          "first_ticks": 1000 * number, "net_bytes": -number}],
            "levels": [{"capacity": KEPT, "count": RUNS, "levels": [
                [0, end, number, 5, 1] for end in ends]}],
        }],
    }


if len(sys.argv) == 2:
    for number in range(1, PARTS + 1):
        with open(sys.argv[1] + "%d.json" % number, "w") as file:
            json.dump(part(number), file)
    sys.exit()

with open(sys.argv[2], encoding="utf-8") as file:
    joined = json.load(file)
lane, = joined["lanes"]
forward, node = lane["cells"]
assert forward["count"] == forward["begins"] == PARTS * RUNS, forward
assert forward["first"] == [7] * 5 and forward["epoch"] == PARTS, forward
# The first calls are those of the first parts, in their order.
assert node["count"] == 3 * PARTS, node
assert node["first"] == [1, 4, 5, 2, 4], node
assert (node["sum"], node["min"], node["max"]) == (46, 1, 5), node
cpu, peak = lane["measures"]
whole, torn = cpu["cells"]
assert (whole["count"], whole["sum"], whole["max"], whole["time"],
        whole["nested"]) == (12, 46, 9, 36, 4), whole
assert torn["torn"] and torn["sum"] == 1, torn
assert [(c["count"], c["sum"], c["max"]) for c in peak["cells"]] == [
    (12, 49, 49)], peak
variant, = lane["variants"]
assert (variant["count"], variant["time"], variant["min"], variant["max"],
        variant["first_ticks"], variant["net_bytes"]) == (
            12, 46, 1, 5, 1000, -10), variant
# Of the runs the newest are kept.
newest = [10000 * number + 10 * run for number in range(1, PARTS + 1)
          for run in range(RUNS)][-KEPT:]
runs, = lane["runs"]
assert runs["count"] == PARTS * RUNS and len(runs["samples"]) == KEPT, runs
assert [sample[0] for sample in runs["samples"]] == newest, runs
levels, = lane["levels"]
assert levels["count"] == PARTS * RUNS, levels
assert [level[1] for level in levels["levels"]] == newest, levels
