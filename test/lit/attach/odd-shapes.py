"""Shapes and memory of operands that are no ordinary tensors, and of none; also where
the process is killed: all of it is in the file then."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=shapes,memory \
# RUN:   TORCHPROF_FILE=%t.tprof %python -W ignore %s
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=shapes,memory \
# RUN:   TORCHPROF_FILE=%t.killed.tprof not --crash %python -W ignore %s --kill
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,shapes,out_shapes,dtypes,calls,net_bytes | FileCheck %s
# RUN: torchprof-report summary %t.killed.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,shapes,out_shapes,dtypes,calls,net_bytes | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK: aten::relu [2,3,4,4]:mkldnn [2,3,4,4]:mkldnn float32 3 {{[-0-9]}}
# CHECK-NEXT: aten::relu [?]:nested [?]:nested float32 3 {{[0-9]+}} B
# CHECK-NEXT: aten::relu [2,7]@meta [2,7]@meta float32 3 0 B
# CHECK-NEXT: aten::relu [] [] float32 3 {{[0-9]+}} B
# CHECK: aten::abs [2] [2] complex64 3
# CHECK: aten::linear [2,3] [4,3] [2,4] float32 3
# CHECK-NEXT: aten::linear [2,3] [4,3] [4] [2,4] float32 3
# CHECK: aten::index [3,4,5] ([2] [2]) [2,4] float32 int64 3
# CHECK: aten::resize_ [0] [4,5] float32 3 {{[0-9]+}} B

import os
import signal
import sys
from typing import Optional

import torch

torch.set_num_threads(1)


@torch.jit.script
def positive(x: torch.Tensor):
    return torch.relu(x)


@torch.jit.script
def magnitude(x: torch.Tensor):
    return torch.abs(x)


@torch.jit.script
def layer(x: torch.Tensor, weight: torch.Tensor, bias: Optional[torch.Tensor]):
    return torch.nn.functional.linear(x, weight, bias)


@torch.jit.script
def picked(x: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor):
    return x[rows, :, columns]


@torch.jit.script
def larger(x: torch.Tensor):
    x.resize_(4, 5)
    return x


x, weight = torch.rand(2, 3), torch.rand(4, 3)
blocked = torch.rand(2, 3, 4, 4) - 0.5
with torch.no_grad():
    for _ in range(3):
        assert torch.equal(positive(blocked.to_mkldnn()).to_dense(), blocked.relu())
        positive(torch.nested.nested_tensor([torch.rand(2, 3), torch.rand(4, 3)]))
        assert positive(torch.empty(2, 7, device="meta")).is_meta
        assert positive(torch.tensor(-1.5)) == 0
        magnitude(torch.ones(2, dtype=torch.complex64))
        assert torch.allclose(layer(x, weight, None), torch.mm(x, weight.t()))
        layer(x, weight, torch.rand(4))
        picked(torch.rand(3, 4, 5), torch.tensor([0, 1]), torch.tensor([2, 3]))
        larger(torch.empty(0))
if "--kill" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
