"""What LibTorch runs to load and to save an object is no model, nor is what this calls:
it is not numbered, and a filter that it has nothing for is no finding."""
# RUN: rm -f %t*
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_INCLUDE='aten::mu*' %python -W ignore %s %t.pt 2> %t.err
# RUN: FileCheck --allow-empty --input-file=%t.err %s --check-prefix=ERR
# RUN: torchprof-report summary %t.tprof | FileCheck %s --implicit-check-not=__
# UNSUPPORTED: asan, tsan
# ERR-NOT: {{.}}
# CHECK-NOT: pack
# CHECK: aten::mul {{.*}} 2
# CHECK-NOT: pack
# CHECK: 2 runs

import sys
from typing import Tuple

import torch


class Packed(torch.nn.Module):
    weight: torch.Tensor

    def __init__(self):
        super().__init__()
        self.weight = torch.ones(3)

    @torch.jit.export
    def __getstate__(self) -> Tuple[torch.Tensor, bool]:
        return torch.neg(self.weight), self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]) -> None:
        self.training = state[1]
        self.pack(state[0])

    @torch.jit.export
    def pack(self, weight):
        self.weight = torch.neg(weight * 1)

    def forward(self, x):
        return x - self.weight


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.packed = Packed()

    def forward(self, x):
        return self.packed(x) * 2


torch.jit.save(torch.jit.script(Model()), sys.argv[1])
model = torch.jit.load(sys.argv[1])
with torch.no_grad():
    for _ in range(2):
        assert model(torch.ones(3)).tolist() == [0, 0, 0]
