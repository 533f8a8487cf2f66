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

print(models.beside({"processes": 6, "torchprof": (0.02, 0.5),
                     "torch.profiler": (2.97, 0.45)}))
print(models.beside({"processes": 5, "torchprof": (0.5, 0.1),
                     "torch.profiler": (12.0, 0.1)}))

for ratios in ((0.9, 1.0, 1.1), (1.01, 1.02, 1.03)):
    print(performance.verdict_of_labels(8.0, ratios, 3.0))
print(performance.verdict_of_labels(2.0, (1.01, 1.02, 1.03), 3.0))

for quartiles in ((0.99, 1.0, 1.01), (0.9, 1.0, 1.1), (1.01, 1.02, 1.03)):
    print(performance.verdict_of_ratio({"calls": 100, "ratio_quartiles": quartiles},
                                       1.005))
