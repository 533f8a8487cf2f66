"""Shapes of methods, loops, forks and calls through interfaces, as attached and as an
instrumented file; results stay."""
# RUN: rm -f %t*
# RUN: %python -W ignore %s save %t.pt
# RUN: torchprof-opt --instrument %t.pt -o %t.instrumented.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=shapes %python -W ignore %s run %t.pt
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,shapes,out_shapes,calls | FileCheck %s --check-prefixes=CHECK,ATTACHED
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.file.tprof \
# RUN:   TORCHPROF_RECORD=shapes %python -W ignore %s run %t.instrumented.pt
# RUN: torchprof-report summary %t.file.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,shapes,out_shapes,calls | FileCheck %s
# RUN: torchprof-report summary %t.tprof --columns=kind,flops \
# RUN:   | FileCheck %s --check-prefix=NOTES --implicit-check-not=note:
# UNSUPPORTED: asan, tsan
# Calls of a method may end on another thread, behind a wait, which is given a future. In
# a file the pairs of a method that forks stay.
# CHECK: kind shapes out_shapes calls
# CHECK: method
# ATTACHED: prim::fork [2,3] 3
# CHECK: aten::wait - 3
# CHECK: method [2,3] ([1] [1]) ([2,3] ()) 6
# CHECK-NEXT: method [4,3] ([1] [1]) ([4,3] ()) 2
# CHECK-NEXT: prim::Loop [2,3] [2,3] 6
# CHECK-NEXT: prim::Loop [4,3] [4,3] 2
# An if is given a condition.
# CHECK: prim::If - 8
# CHECK: prim::CallMethod [2,3] [2,3] 6
# CHECK-NEXT: prim::CallMethod [4,3] [4,3] 2
# The methods that the interface leads to, one of which is given no tensor.
# CHECK: method - 8
# CHECK: method [2,3] [2,3] 6
# CHECK-NEXT: method [4,3] [4,3] 2
# NOTES: method

import sys

import torch
from typing import Optional, Tuple

from Inputs import forks

torch.set_num_threads(1)


@torch.jit.interface
class Step(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass

    def factor(self) -> int:
        pass


class Double(torch.nn.Module):
    def forward(self, x):
        return x + x

    def factor(self) -> int:
        return 2


class Model(torch.nn.Module):
    step: Step

    def __init__(self):
        super().__init__()
        self.step = Double()

    def forward(self, x, pair: Tuple[torch.Tensor, torch.Tensor], count: int):
        y = x
        for _ in range(count):
            y = torch.tanh(y) + pair[0]
        if bool(y.sum() > 1e6):
            y = y * 2
        none: Optional[torch.Tensor] = None
        return self.step.forward(y) * self.step.factor(), [none]

    @torch.jit.export
    def forked(self, x):
        other = torch.jit.fork(self.side, x)
        return torch.jit.wait(other) + x

    @torch.jit.export
    def side(self, x):
        return x.sigmoid()


if sys.argv[1] == "save":
    torch.jit.script(Model()).save(sys.argv[2])
    sys.exit()
plain, model = Model(), torch.jit.load(sys.argv[2])
pair = torch.zeros(1), torch.zeros(1)
with torch.no_grad():
    for rows in (2, 2, 2, 4, 2, 4, 2, 2):
        x = torch.rand(rows, 3)
        y, nothing = model(x, pair, rows)
        assert torch.equal(y, plain(x, pair, rows)[0]) and nothing == [None]
    for _ in range(3):
        x = torch.rand(2, 3)
        assert torch.equal(model.forked(x), plain.forked(x))
forks.rest()
