"""Lets `top` read a profile before and after a second model is loaded.

second_model.py PROFILE.json FOLDER: prints what top says last, of the time between.
In it the region of the first reading was entered once more.
"""

import json
import os
import subprocess
import sys

source, folder = sys.argv[1:]
live = os.path.join(folder, "live.json")
with open(source) as file:
    profile = json.load(file)


def write(state):
    profile["state"] = state
    with open(live + ".new", "w") as file:
        json.dump(profile, file)
    os.replace(live + ".new", live)


write("open")
top = subprocess.Popen(
    ["torchprof-report", "top", "--interval=0.1", live],
    stdout=subprocess.PIPE,
    universal_newlines=True,
)
for line in top.stdout:
    if line.startswith("region"):
        break
region = profile["dynamic_sites"][0]["slot"]
for lane in profile["lanes"]:
    for cell in lane["cells"]:
        if cell["slot"] == region:
            cell["samples"].append(1000000)
# Sites of a process are numbered in the order in which they came to be.
profile["models"].append({**profile["models"][0], "id": 8, "first_slot": region + 1})
write("closed")
rest = top.stdout.read()
# Before that it may have read the first state again.
print(rest[rest.rindex("torchprof-report top"):])
sys.exit(top.wait())
