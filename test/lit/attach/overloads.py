"""Under grad LibTorch puts scripts of its own in the place of operators, numbered ones for
those with overloads: each node keeps its row in every run, also where another overload's
script follows directly."""
# RUN: rm -f %t*.tprof && %python -W ignore %s > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --limit=0 \
# RUN:   | FileCheck %s --implicit-check-not="not every run"
# RUN: torchprof-report summary %t.tprof --limit=0 --format=json \
# RUN:   --columns=kind,name,module,calls,backward_calls | %python %s -
# UNSUPPORTED: asan, tsan
# CHECK: Total

import json
import sys

RUNS = 10

if sys.argv[1:]:
    nodes = [row for row in json.load(sys.stdin)["rows"] if row["kind"].startswith("aten::")]
    kinds = [row["kind"][6:] for row in nodes]
    for kind in ("add", "sub", "mul", "div", "mean", "pow", "clamp", "std", "var", "lerp",
                 "squeeze", "rsub", "to", "log10", "relu6"):
        assert kind in kinds, (kind, kinds)
    for row in nodes:
        assert row["calls"] == RUNS, row
        # The gradient of a sum is what came, and products may not be told apart.
        if row["kind"][6:] in ("div", "mean", "pow", "std", "squeeze", "to"):
            assert row["backward_calls"] >= RUNS, row
    sys.exit()

import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        y = torch.sigmoid(x)
        y = torch.tanh(y + torch.relu(self.norm(y)))
        return self.last(y.mean([2, 3])).squeeze(1)


class Chain(nn.Module):
    """Scripts that follow each other, of one operator and of several."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        y = self.norm(torch.sigmoid(x))
        y = x + y + 1.0 + 2.0 + x
        y = y * 0.5 * x * y
        y = y - x - 0.5
        return torch.tanh(y / 2.0 / (x + 3.0))


class Others(nn.Module):
    def forward(self, x):
        y = torch.sigmoid(x)
        spread = torch.tanh(y.std() + y.std([2, 3]).var() + y.var([2, 3]).mean())
        y = torch.tanh(torch.lerp(y, torch.pow(y, 2), 0.3).clamp(-1.0, 1.0))
        y = torch.rsub(torch.pow(y, y), 1.0) + torch.pow(2.0, y)
        y = torch.nn.functional.relu6(torch.log10(y + 1.0))
        return y.squeeze().to(torch.float64) * spread


torch.manual_seed(0)
for model in (Residual, Chain, Others):
    scripted = torch.jit.script(model())
    for _ in range(RUNS):
        x = torch.rand(3, 4, 5, 5, requires_grad=True)
        y = scripted(x).sum()
        y.backward()
        print(float(y.detach()), float(x.grad.sum()))
