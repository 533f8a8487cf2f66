"""Prints a profile with books, as JSON, of which all blocks lie on a device and are a
hundred times as large; on the CPU one block of 4 KB is left:
device_blocks.py BLOCKS.json
"""

import copy
import json
import sys

TIMES = 100
SMALL, NODE = 4096, 4
SIZES = ("live", "at_peak", "at_run_end", "at_mark_before", "at_mark")

with open(sys.argv[1]) as file:
    profile = json.load(file)

books = profile["device_books"] = copy.deepcopy(profile["books"])
books["peak"] *= TIMES
for account in books["accounts"]:
    for key in SIZES:
        if key in account:
            account[key] *= TIMES

profile["books"].update(
    peak=SMALL, peak_slot=NODE,
    accounts=[dict({"slot": NODE, "blocks": 1}, **{key: SMALL for key in SIZES})])

for lane in profile["lanes"]:
    moved = copy.deepcopy(lane["levels"])
    for ring in lane["levels"]:
        for level in ring["levels"]:
            level[2:] = [SMALL, 0, 2 ** 32 - 1]
    for ring in moved:
        ring["place"] = "devices"
        for level in ring["levels"]:
            level[2] *= TIMES
            level[3] *= TIMES
    lane["levels"] += moved
print(json.dumps(profile))
