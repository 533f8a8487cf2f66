"""Of nodes that come from one place in the source, in one module, LibTorch's graph may
have lost some: where it knows a list's length it needs no loop over it. What is left
keeps its own site, which the branch around it tells, or where it was called; what could
be of two sites has none."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.branches.tprof \
# RUN:   %python -W ignore %s branches
# RUN: torchprof-report check %t.branches.tprof
# RUN: torchprof-report summary %t.branches.tprof --sort=order --limit=0 --columns=kind,name,calls \
# RUN:   | FileCheck %s --check-prefix=BRANCHES --implicit-check-not=Excess
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.calls.tprof \
# RUN:   %python -W ignore %s calls
# RUN: torchprof-report check %t.calls.tprof
# RUN: torchprof-report summary %t.calls.tprof --sort=order --limit=0 --columns=kind,name,calls \
# RUN:   | FileCheck %s --check-prefix=CALLS --implicit-check-not=Excess
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.unknown.tprof \
# RUN:   %python -W ignore %s unknown
# RUN: torchprof-report check %t.unknown.tprof
# RUN: torchprof-report summary %t.unknown.tprof --sort=order --limit=0 --columns=kind,name,calls \
# RUN:   | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=Excess
# UNSUPPORTED: asan, tsan
#
# The first two calls of mean_of, whose lists have one element; and the third one.
# BRANCHES: prim::If {{[a-z_0-9A-Z]+}} 5
# BRANCHES-NOT: prim::Loop
# BRANCHES: prim::If {{[a-z_0-9A-Z]+}} 5
# BRANCHES-NOT: prim::Loop
# BRANCHES: aten::sub
# BRANCHES: prim::If {{[a-z_0-9A-Z]+}} 5
# BRANCHES: prim::Loop {{[a-z_0-9]+}} 5
# BRANCHES: aten::add {{[a-z_0-9]+}} 10
# BRANCHES: aten::div {{[a-z_0-9]+}} 5
#
# CALLS-NOT: prim::Loop
# CALLS: aten::div {{[a-z_0-9]+}} 5
# CALLS: aten::sub
# CALLS: prim::Loop {{[a-z_0-9]+}} 5
# CALLS: aten::add {{[a-z_0-9]+}} 10
# CALLS: aten::div {{[a-z_0-9]+}} 5
#
# UNKNOWN-NOT: prim::Loop
# UNKNOWN: aten::div {{[a-z_0-9]+}} 5
# UNKNOWN-NOT: prim::Loop
# UNKNOWN: aten::div {{[a-z_0-9]+}} 5
# UNKNOWN: folded, unrolled or replaced{{.*}}prim::Loop

import sys
from typing import List

import torch


def mean_of(tensors: List[torch.Tensor]):
    total = tensors[0]
    for i in range(1, len(tensors)):
        total = total + tensors[i]
    return total / len(tensors)


class Branches(torch.nn.Module):
    def mean_or_first(self, tensors: List[torch.Tensor], style: str):
        if style == "mean":
            return mean_of(tensors)
        return tensors[0]

    def forward(self, x, style: str = "mean"):
        a = self.mean_or_first([x], style)
        b = self.mean_or_first([a], style)
        several = [a - b, x]
        several.append(b)
        return self.mean_or_first(several, style)


class Calls(torch.nn.Module):
    def forward(self, x):
        a = mean_of([x])
        several = [a - x, x]
        several.append(a)
        return mean_of(several)


class Unknown(torch.nn.Module):
    """One call in the source, which the compiler unrolls."""
    def forward(self, x):
        several = [x - x, x]
        several.append(x)
        total = -x
        for tensors in ([x], several):
            total = total + mean_of(tensors)
        return total


model = {"branches": Branches, "calls": Calls, "unknown": Unknown}[sys.argv[1]]
model = torch.jit.script(model().eval())
with torch.no_grad():
    for _ in range(5):
        assert torch.equal(model(torch.ones(3)), torch.full((3,), 2 / 3))
