"""Gradients of nodes in the body of a fork, and behind a wait that goes on with the fork's
thread, are those nodes', though these threads have no run of their own; also where the fork
has no site, and in a file with probes where nothing is attached."""
# RUN: rm -rf %t && mkdir %t && %python -W ignore %s save %t/model.pt
# RUN: %python -W ignore %s run %t/model.pt > %t/alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/all.tprof \
# RUN:   %python -W ignore %s run %t/model.pt > %t/attached
# RUN: diff %t/alone %t/attached
# RUN: torchprof-report check %t/all.tprof
# RUN: torchprof-report summary %t/all.tprof --limit=0 --format=json \
# RUN:   --columns=kind,name,module,calls,backward_calls | %python %s check all
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/nodes.tprof \
# RUN:   TORCHPROF_EXCLUDE=prim::fork %python -W ignore %s run %t/model.pt
# RUN: torchprof-report summary %t/nodes.tprof --limit=0 --format=json \
# RUN:   --columns=kind,name,module,calls,backward_calls | %python %s check all
# RUN: torchprof-opt --quiet --instrument %t/model.pt -o %t/probes.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_HOOKS=off \
# RUN:   TORCHPROF_FILE=%t/probes.tprof %python -W ignore %s run %t/probes.pt
# RUN: torchprof-report summary %t/probes.tprof --limit=0 --format=json \
# RUN:   --columns=kind,name,module,calls,backward_calls | %python %s check nodes
# UNSUPPORTED: asan, tsan

import json
import sys

RUNS = 10

if sys.argv[1] == "check":
    rows = json.load(sys.stdin)["rows"]
    kinds = []
    for row in rows:
        if row["kind"].startswith("aten::") and row["kind"] != "aten::wait":
            kinds.append(row["kind"])
            assert row["calls"] == 2 * RUNS, row
            assert row["backward_calls"] == RUNS, row
        elif row["kind"] == "backward" and sys.argv[2] == "all":
            assert row["name"][0] == "(" or " of " in row["name"], row
    assert sorted(kinds) == ["aten::add", "aten::conv2d", "aten::conv2d", "aten::relu",
                             "aten::sigmoid"], kinds
    sys.exit()

import torch
import torch.nn as nn

from Inputs import forks


class Model(nn.Module):
    """The task takes longer than what the method does meanwhile."""

    def __init__(self):
        super().__init__()
        self.slow = nn.Conv2d(3, 4, 5, padding=2)
        self.near = nn.Conv2d(3, 4, 1)

    def task(self, x):
        return torch.relu(self.slow(x))

    def forward(self, x):
        task = torch.jit.fork(self.task, x)
        y = self.near(x)
        return torch.sigmoid(torch.jit.wait(task) + y)


torch.manual_seed(0)
torch.set_num_threads(1)
if sys.argv[1] == "save":
    torch.jit.script(Model()).save(sys.argv[2])
    sys.exit()
model = torch.jit.load(sys.argv[2])
for _ in range(RUNS):
    x = torch.rand(8, 3, 64, 64)
    y = model(x)
    y.backward(torch.ones_like(y))
    with torch.no_grad():
        model(x)
for parameter in model.parameters():
    print(float(parameter.grad.sum()))
forks.rest()
