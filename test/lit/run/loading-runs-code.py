"""A model whose loading runs code of its own, as a quantized module's __setstate__:
that is before the first run, and recorded by nobody."""
# RUN: rm -rf %t && mkdir %t && %python %s %t/net.pt
# RUN: torchprof-run %t/net.pt --input 'float[2]' --runs 5 -o %t/net.tprof \
# RUN:   | FileCheck %s --check-prefix=RAN
# RUN: torchprof-report summary %t/net.tprof --columns=kind,name,calls | FileCheck %s
# RUN: torchprof record %t/net.pt --input 'float[2]' --runs 5 -o %t/record.tprof \
# RUN:   | FileCheck %s
# UNSUPPORTED: asan, tsan
# RAN: 5 runs
# CHECK-NOT: __setstate__
# CHECK: aten::relu {{.*}}5
# CHECK: {{5 runs}}
# CHECK-NOT: __setstate__

import sys
from typing import Tuple

import torch


class Packed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(2)

    @torch.jit.export
    def __getstate__(self) -> Tuple[torch.Tensor, bool]:
        return self.scale.neg(), self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]) -> None:
        self.scale = state[0].neg()
        self.training = state[1]

    def forward(self, x):
        return torch.relu(x * self.scale)


torch.jit.script(Packed()).save(sys.argv[1])
