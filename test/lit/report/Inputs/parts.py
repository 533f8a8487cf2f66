"""Makes two parts of a process out of a profile, or checks what joins them.

  parts.py PROFILE.json PREFIX [JOINED.json]"""

import copy
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    whole = json.load(file)

# In the first part the thread "main" ends one run, leaves one by an exception
# and begins another. The thread "pool" is in its third call of a node, and an
# exception ends the fourth: what is open is cut before the second part begins.
first = copy.deepcopy(whole)
first["epoch"] = 1
first["process"]["end_ticks"] = 8000
main, pool = first["lanes"]
main["cells"] = [{"slot": 0, "samples": [1000], "begins": 3, "epoch": 1},
                 {"slot": 2, "samples": [100], "epoch": 1}]
pool["cells"] = [{"slot": 0, "begins": 1, "epoch": 1},
                 {"slot": 3, "samples": [300, 200], "begins": 4, "epoch": 1}]
main["apart_ticks"] = 30
pool.update(current_slot=3, current_ticks=7900)
# The second one cuts it; the other thread goes on, and a third one appears.
second = copy.deepcopy(whole)
second["epoch"] = 2
second["reset_ticks"] = 8500
main, pool = second["lanes"]
main["cells"] = [{"slot": 0, "samples": [700], "begins": 2, "cut": 1, "epoch": 2},
                 {"slot": 2, "samples": [90], "epoch": 1}]  # of the past
main["traces"] = [{"keep": "last", "capacity": 5, "written": 1,
                   "events": [[0, 9000, 700]]}]
main.update(apart_ticks=4, current_slot=1, current_ticks=9600)
pool["cells"] = [{"slot": 3, "samples": [50], "epoch": 2}]
second["lanes"].append({"lane": 2, "thread": 102, "name": "late",
                        "cells": [{"slot": 3, "samples": [7], "epoch": 2}]})

if len(sys.argv) == 3:
    for number, part in enumerate((first, second), 1):
        with open(sys.argv[2] + "%d.json" % number, "w") as file:
            json.dump(part, file)
    sys.exit()

with open(sys.argv[3], encoding="utf-8") as file:
    joined = json.load(file)
main, pool, late = joined["lanes"]


def cells(lane, slot):
    return [(cell["count"], cell["begins"], cell["cut"], cell["first"])
            for cell in lane["cells"]
            if cell["slot"] == slot and cell["epoch"] == joined["epoch"]]


assert cells(main, 0) == [(2, 4, 1, [1000, 700])], main
assert cells(main, 2) == [(1, 1, 0, [100])], main
assert cells(pool, 0) == [(0, 0, 0, [])], pool
assert cells(pool, 3) == [(3, 4, 0, [300, 200, 50])], pool
assert cells(late, 3) == [(1, 1, 0, [7])], late
assert [event for trace in main["traces"] for event in trace["events"]] == (
    whole["lanes"][0]["traces"][0]["events"] + [[0, 9000, 700]]), main
assert [trace["written"] for trace in main["traces"]] == [6, 1], main
# Each trace has a log of its own in the file, which all say the same of the lane.
assert main["apart_ticks"] == 34, main
assert (main["current_slot"], main["current_ticks"]) == (1, 9600), main
