"""Profiles with operators inside of others of their name, from operators.json in the
given files: alone in them, with shapes, several in a call, and in one call of two."""
import json
import sys

source, alone, shapes, several, either = sys.argv[1:]


def write(path):
    with open(path, "w") as file:
        json.dump(profile, file)


with open(source) as file:
    profile = json.load(file)
lane = profile["lanes"][0]
convolution, mkldnn, empty, clamp, outer = profile["dynamic_sites"][:5]

convolution["name"] = "aten::conv2d"
clamp["name"] = "aten::relu"
outer.update(parent=mkldnn["slot"], name=mkldnn["name"])  # beside another one
write(alone)

profile["dynamic_sites"].append(
    {"slot": 12, "parent": 1, "kind": "shape", "name": "float32[2] -> float32[2]"})
lane["variants"] = [{"slot": 1, "signature": 12, "count": 2, "time": 12000000,
                     "min": 6000000, "max": 6000000, "first_ticks": 5}]
write(shapes)

empty["name"] = mkldnn["name"]
outer.update(parent=0, name="aten::empty")
write(several)

outer.update(parent=mkldnn["slot"], name="aten::copy_")
for cell in lane["cells"]:
    if cell["slot"] in (empty["slot"], outer["slot"]):
        del cell["samples"][1:]
write(either)
