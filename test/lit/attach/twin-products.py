"""Products that LibTorch computes at once are those that its plan has lost, also where
another copy of the model was attached before the plan was made."""
# RUN: rm -f %t*.tprof && %python -W ignore %s make %t.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s run %t.pt
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --limit=0 --columns=kind,name,calls > %t.rows
# RUN: FileCheck %s < %t.rows
# RUN: FileCheck %s --check-prefix=FUSED < %t.rows
# UNSUPPORTED: asan, tsan
# CHECK-DAG: aten::mm own 7
# CHECK-DAG: aten::mm mm 7
# CHECK-DAG: aten::mm mm_1 2
# CHECK-DAG: aten::mm mm_7 2
# FUSED: measures the fused kernel of aten::mm mm, aten::mm mm_1, aten::mm mm_2, aten::mm mm_3, aten::mm mm_4, aten::mm mm_5, aten::mm mm_6, aten::mm mm_7{{$}}

import sys

import torch

torch.set_num_threads(1)


class Net(torch.nn.Module):
    def forward(self, x, w):
        own = torch.mm(w, w)
        y = x.tanh()
        a = torch.cat([torch.mm(y, w), torch.mm(y, w + 1), torch.mm(y, w + 2), torch.mm(y, w + 3)])
        b = torch.cat([torch.mm(y, w - 1), torch.mm(y, w - 2), torch.mm(y, w - 3), torch.mm(y, x)])
        return torch.cat([own, a, b])


command, path = sys.argv[1:]
if command == "make":
    torch.jit.save(torch.jit.script(Net()), path)
else:
    first, second = torch.jit.load(path), torch.jit.load(path)
    x, w = torch.rand(8, 8), torch.rand(8, 8)
    with torch.no_grad():
        for model in (first, second, *[first] * 5):
            model(x, w)
