"""Prints the functions of a site's frames, innermost first."""

import json
import sys

with open(sys.argv[1]) as file:
    sites = json.load(file)["sites"]
for site in sites:
    if site["module"] == "layer1.0.conv1" and site["kind"] == "aten::conv2d":
        names = [frame["function"] for frame in site["frames"]]
        assert all(frame["line"] > 0 and frame["text"] for frame in site["frames"])
        print(site["module"] + ":", " ".join(names))
        break
