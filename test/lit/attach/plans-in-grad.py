"""What LibTorch takes for the plans of a backward in a model is a row below aten::grad,
with a share of the runs; it is no gradient of that node."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,pct_total,backward_calls,calls \
# RUN:   | FileCheck %s --implicit-check-not='(plans),' --implicit-check-not='of grad,,'
# CHECK-DAG: aten::grad,grad,{{[1-9][0-9.]*}},,6
# CHECK-DAG: backward,(plans) of grad,{{[0-9.]+}},,{{[1-9]}}
# They belong to the run that the backward is in.
# RUN: torchprof-report runs %t.tprof --limit=0 --format=csv | FileCheck %s --check-prefix=RUNS \
# RUN:   --implicit-check-not='forward,backward,{{[^,]*}},profiling,1,'
# RUNS-DAG: forward,backward,{{[^,]*}},profiling,2,
# RUN: torchprof-report advise %t.tprof --min-pct=0 | FileCheck %s --check-prefix=ADVICE
# ADVICE: the row (plans), {{[1-9]}} times
# Where gradients have no rows they are in the self time of that node.
# RUN: %python %S/Inputs/check_groupings.py %t.tprof
# UNSUPPORTED: asan, tsan

from typing import List, Optional

import torch


class Potential(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(3, 16), torch.nn.SiLU(), torch.nn.Linear(16, 1))

    def forward(self, positions):
        positions = positions.requires_grad_(True)
        energy = self.net(positions).sum()
        ones: List[Optional[torch.Tensor]] = [torch.ones_like(energy)]
        forces = torch.autograd.grad([energy], [positions], ones)[0]
        assert forces is not None
        return -forces


torch.manual_seed(0)
model = torch.jit.script(Potential())
for _ in range(6):
    model(torch.rand(5, 3))
