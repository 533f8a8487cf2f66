"""The profile of a process in which every tenth run recorded more than the time.

Usage: part_of_calls.py PROFILE SLOT=FACTOR...: each call of PROFILE nine times more,
in which nothing but the time was recorded. The recorded calls of SLOT took FACTOR times
as long.
"""

import json
import sys

with open(sys.argv[1]) as file:
    document = json.load(file)
slower = {int(slot): float(factor) for slot, factor in
          (text.split("=") for text in sys.argv[2:])}
[lane] = document["lanes"]
for cell in lane["cells"]:
    if "samples" in cell:
        samples = cell["samples"]
        cell["samples"] = [
            round(time * slower.get(cell["slot"], 1)) for time in samples] + samples * 9
    else:
        for field in ("count", "sum", "squares_low"):
            cell[field] *= 10
        cell["histogram"] = {bucket: 10 * count for bucket, count in
                             cell["histogram"].items()}
parts = lane.get("variants", []) + [
    cell for measure in lane.get("measures", []) for cell in measure["cells"]]
for part in parts:
    factor = slower.get(part["slot"], 1)
    for field in ("time", "min", "max"):
        if field in part and ("min" in part or field == "time"):
            part[field] = round(part[field] * factor)
print(json.dumps(document))
