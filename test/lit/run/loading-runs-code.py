"""A model whose loading runs code of its own, as a quantized module's __setstate__:
that is before the first run, and recorded by nobody. LibTorch does not inline what a
__setstate__ calls."""
# RUN: rm -rf %t && mkdir %t && %python %s %t/net.pt
# RUN: torchprof-run %t/net.pt --input 'float[2]' --runs 5 -o %t/net.tprof \
# RUN:   | FileCheck %s --check-prefix=RAN
# RUN: torchprof-report summary %t/net.tprof --columns=kind,name,calls | FileCheck %s
# RUN: torchprof record %t/net.pt --input 'float[2]' --runs 5 -o %t/record.tprof \
# RUN:   | FileCheck %s
# RUN: torchprof-report check %t/net.tprof | FileCheck %s --check-prefix=MODELS
# RUN: torchprof-report check %t/record.tprof | FileCheck %s --check-prefix=MODELS
# RUN: torchprof record --quiet --schedule active=4,repeat=1 \
# RUN:   -o %t/steps.tprof -- %python %s %t/net.pt 5
# RUN: torchprof-report summary %t/steps.1.tprof --columns=kind,name,calls \
# RUN:   | FileCheck %s --check-prefix=STEPS
# UNSUPPORTED: asan, tsan
# RAN: 5 runs
# CHECK-NOT: {{__setstate__|aten::neg|method .*(pack|scaled)}}
# CHECK: aten::relu {{.*}}5
# CHECK-NOT: {{__setstate__|aten::neg|method .*(pack|scaled)}}
# CHECK: {{5 runs}}
# The function is no model.
# MODELS: {{^}}model {{.*}}Packed,
# MODELS-NOT: {{^}}model
# STEPS: aten::relu {{.*}}4
# STEPS: {{4 runs}}

import sys
from typing import Tuple

import torch


def scaled(x):
    return x.neg()


class Packed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(2)

    @torch.jit.export
    def __getstate__(self) -> Tuple[torch.Tensor, bool]:
        return self.scale.neg(), self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]) -> None:
        self.training = state[1]
        self.pack(state[0])

    @torch.jit.export
    def pack(self, scale):
        self.scale = scaled(scale)

    def forward(self, x):
        return torch.relu(x * self.scale)


if len(sys.argv) == 2:
    torch.jit.script(Packed()).save(sys.argv[1])
else:
    model = torch.jit.load(sys.argv[1])
    with torch.no_grad():
        for _ in range(int(sys.argv[2])):
            model(torch.ones(2))
