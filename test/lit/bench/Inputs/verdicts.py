"""Prints what the pages say of made-up results."""

import sys

sys.path.insert(0, sys.argv[1])
from render import attaching, bars, fidelity, models, performance


def chains(*more):
    """What attaching to 100, 1000 and 5000 nodes takes."""
    return attaching.linear([
        {"nodes": nodes, "more_min_ms": ms, "plain": {"min_ms": float(nodes)}}
        for nodes, ms in zip((100, 1000, 5000), more)])[0]


print(chains(8.0, 17.0, 57.0))
print(chains(8.0, 17.0, 97.0))
