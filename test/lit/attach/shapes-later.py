"""A child that records shapes when its parent does not: methods have them in plans that
it makes itself, nodes in all plans."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.parent.tprof \
# RUN:   %python -W ignore %s %t.tprof
# RUN: torchprof-report summary %t.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,shapes,calls | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK: method - 2
# CHECK-NEXT: aten::tanh [2] 2
# CHECK: method [3] 2
# CHECK-NEXT: aten::sigmoid [3] 2

import os
import sys

import torch

torch.set_num_threads(1)


class Early(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x)


class Late(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)


early, late = torch.jit.script(Early()), torch.jit.script(Late())
with torch.no_grad():
    for _ in range(4):
        early(torch.rand(2))
    if child := os.fork():
        sys.exit(os.waitpid(child, 0)[1])
    assert torch.ops.torchprof.set_option("record", "shapes") == 0
    assert torch.ops.torchprof.set_option("file", sys.argv[1]) == 0
    for _ in range(2):
        early(torch.rand(2))
        late(torch.rand(3))
