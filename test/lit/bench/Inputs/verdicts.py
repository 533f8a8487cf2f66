"""Prints what the pages say of made-up results."""

import sys

sys.path.insert(0, sys.argv[1])
from render import attaching, bars, coverage, fidelity, models, performance


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


def clock(node, mode, ns):
    return {"node": node, "mode": mode, "variant": "two raw clock reads",
            "median_ns": ns}


def contender(name, ns):
    return {"contender": name, "min_ns": ns, "plain_min_ns": 0.0, "added_ns": ns,
            "close_ns": 0.0}


print(performance.goals({"2.0": {
    "probe": {"rows": [clock("aten::relu", "aggregate", 15.0),
                       clock("aten::relu", "trace", 16.0),
                       clock("bench::read, 16384 KB", "aggregate", 17.0)]},
    "contenders": {"rows": [{"workload": "relu_chain", "spans": 1, "contenders": [
        contender("torchprof", 20.0), contender("Kineto", 300.0)]}]}}})[-2])

for error, quantile in ((100.0, 1035.0), (100.0, 1139.0), (0.0, 1037.0)):
    print(*fidelity.quantile({"true_p50_ns": 1000.0, "error_ns": error,
                              "p50_ns": quantile}, "p50"))

print(coverage.sums([{"adds_up": True}]))
print(coverage.sums([{"adds_up": True}, {"adds_up": True, "excess_pct": 0.0},
                     {"adds_up": False, "excess_pct": 1.5}]))

for frozen in (1.9, 2.1, None):
    print(coverage.verdict_of_rest({"unattributed_pct": 3.0,
                                    "frozen_unattributed_pct": frozen}))

for row in ("bench::read, 4096 KB, explicit, recording, folding",
            "bench::read, 4096 KB, explicit, recording"):
    print(bars.cause("A node", row, "missed by 1 ns"))
for verdict in ("missed", "missed, frozen too"):
    print(bars.cause("Nothing missing", "net: 2 %", verdict))
