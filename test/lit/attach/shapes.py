"""Shapes per node, beside memory and torch.profiler: each kind of value that a node
can have, with and without grad, in first runs and later; results stay."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=shapes,memory TORCHPROF_SHAPE_VARIANTS=3 %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,name,shapes,out_shapes,dtypes,calls | FileCheck %s
# RUN: %python %S/Inputs/nets_by_shape.py %t.tprof
# UNSUPPORTED: asan, tsan
# CHECK: kind name shapes out_shapes dtypes calls
# CHECK: aten::mm mm [4,3] [3,2] [4,2] float32 8
# CHECK-NEXT: aten::mm mm [5,3] [3,2] [5,2] float32 1
# CHECK-NEXT: aten::mm mm [0,3] [3,2] [0,2] float32 1
# CHECK-NEXT: aten::mm mm (others) (others) (others) 2
# CHECK-NEXT: aten::relu_
# CHECK: aten::cat joined ([4,2] [4,2]) [8,2] float32 8
# CHECK: aten::sum total [8,2] [] float32 8
# CHECK: aten::index picked [8,2] ([]) [8] float32 int64 8
# CHECK: aten::add mixed [8] [] [8] float32 int64 8
# CHECK: aten::tanh {{.*}} [2,7] [2,7] float32 4
# CHECK: aten::sigmoid {{.*}} [2,7] [2,7] float32 4
# CHECK: aten::add {{.*}} [2,7] [2,7] [2,7] float32 4
# CHECK: aten::to sparse [4,3]:sparse [4,3]:sparse float32 1
# CHECK: aten::to sparse [3,4] [3,4] float32 1
# CHECK: aten::to sparse [4,3] [4,3] float64 1


import torch

from Inputs import forks

torch.set_num_threads(1)


class Model(torch.nn.Module):
    def forward(self, x, weight, column):
        product = torch.mm(x, weight).relu_()
        joined = torch.cat([product, product])
        total = joined.sum()
        picked = joined[:, column]
        mixed = picked + column
        return mixed, total


class Odd(torch.nn.Module):
    """Operands that are no ordinary tensors."""

    def forward(self, x):
        sparse = x.to(torch.float32)
        return sparse


def both(model, plain, *values):
    assert all(torch.equal(a, b)
               for a, b in zip(model(*values), plain(*values)))


plain, model = Model(), torch.jit.script(Model())
weight, column = torch.rand(3, 2), torch.tensor(1)
with torch.no_grad():
    for _ in range(4):
        both(model, plain, torch.rand(4, 3), weight, column)
weight.requires_grad_(True)
for _ in range(4):
    mixed, total = model(torch.rand(4, 3), weight, column)
    (mixed.sum() + total).backward()
with torch.no_grad(), torch.profiler.profile(record_shapes=True):
    for rows in (5, 0, 6, 7):
        both(model, plain, torch.rand(rows, 3), weight, column)

class Forks(torch.nn.Module):
    """Nodes on other threads."""

    def forward(self, x):
        other = torch.jit.fork(self.side, x)
        return x.sigmoid() + torch.jit.wait(other)

    @torch.jit.export
    def side(self, x):
        return x.tanh()


forking = torch.jit.script(Forks())
with torch.no_grad():
    for _ in range(4):
        forking(torch.rand(2, 7))

odd = torch.jit.script(Odd())
dense = torch.rand(4, 3)
with torch.no_grad():
    for value in (dense.to_sparse(), dense.t(), dense.double()):
        odd(value)
forks.rest()
