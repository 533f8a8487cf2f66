"""What einsum computes: a signature has its equation."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=shapes %python -W ignore %s
# RUN: torchprof-report summary %t.tprof --group-by=shape --limit=0 --sort=order \
# RUN:   --columns=kind,shapes,calls,flops,other_ops --format=csv | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK: aten::einsum,"([2,3] [3,5])",4,240,0
# CHECK-NEXT: aten::einsum,"([2,3] [3,5])",4,0,120
# CHECK-NEXT: aten::einsum,"([2,3] [3,5] [5,7])",4,800,0
# Equations tell calls apart; one that is too long is not known.
# CHECK: aten::einsum,([3] [3]),2,12,0
# CHECK-NEXT: aten::einsum,([3] [3]),1,0,9
# CHECK-NEXT: aten::einsum,([3] [3]),1,,

import torch

torch.set_num_threads(1)


class Model(torch.nn.Module):
    def forward(self, x, y, z, equation: str):
        return (
            torch.einsum("ij,jk->ik", x, y),
            torch.einsum("ij,jk->ijk", x, y),
            torch.einsum("ij,jk,kl->il", x, y, z),
            torch.einsum(equation, x[0], x[1]),
        )


model = torch.jit.script(Model())
with torch.no_grad():
    for equation in ("i,i->", "i,i->", "i,j->ij", "i,i->" + 64 * " "):
        model(torch.rand(2, 3), torch.rand(3, 5), torch.rand(5, 7), equation)
