"""Makes a profile of a node and of 300 short ones, each below 1 % of the time.

  many_sites.py OUT.json MEAN"""

import json
import random
import sys

path, mean = sys.argv[1], int(sys.argv[2])
runs, short = 60, 300
draw = random.Random(mean)
# Evenly within two fifths of the mean on either side.
long = [round(mean + 43000 * (2 * i / (runs - 1) - 1)) for i in range(runs)]
times = [[round(draw.gauss(50, 5)) for _ in range(runs)] for _ in range(short)]

sites = [{"kind": "method", "name": "forward", "flags": ["root"]},
         {"parent": 0, "kind": "aten::mm", "name": "z"}]
sites += [{"parent": 0, "kind": "aten::view", "name": "v%d" % i}
          for i in range(short)]
method = [sum(spans) + 1000 for spans in zip(long, *times)]
cells = [{"slot": slot, "samples": samples}
         for slot, samples in enumerate([method, long] + times)]
with open(path, "w") as file:
    json.dump({"process": {"clock": "injected"},
               "models": [{"id": 1, "sites": sites}],
               "lanes": [{"cells": cells}]}, file)
