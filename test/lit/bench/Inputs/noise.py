"""Prints what the pages say of differences that are lost in the noise."""

import sys

sys.path.insert(0, sys.argv[1])
from render import attaching, models, performance, recorded

THEIRS = "torch.profiler, memory, shapes"


def row(name, more, closing=1.0):
    return {"recorded": name, "more_ns": [more] * 3, "closing_ns": closing}


def peer(time):
    return recorded.beside_peer([row("time", time), row("memory, shapes", 20.0),
                                 row(THEIRS, 1200.0, 800.0)])


def chain(nodes, more):
    return {"nodes": nodes, "more_min_ms": more, "plain": {"min_ms": float(nodes)}}


def model(ours):
    return {"processes": 6, "torchprof": (ours, 0.1), "torch.profiler": (12.0, 0.1)}


for lines in (peer(20.0), peer(-332.0),
              attaching.linear([chain(100, 1.0), chain(1000, 11.0),
                                chain(5000, -11.0)])):
    print(lines[0])
for ours in (0.5, 4.0, 1.75, 1.65, -0.1):
    print(models.beside(model(ours)))
for ratios in ((25.0, 30.0), (5.0, 30.0), (5.0, 6.0), (None, 30.0), (None, None)):
    print(performance.verdict_of_goal(20, *ratios))
