"""A window of training steps has the backwards of its runs, if the host says when a
step ends."""
# RUN: rm -rf %t && mkdir %t
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so \
# RUN:   TORCHPROF_SCHEDULE=wait=4,active=3,repeat=1 TORCHPROF_FILE=%t/p%%s.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report summary %t/p1.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,calls,backward_calls | FileCheck %s
# UNSUPPORTED: asan, tsan
#
# CHECK-DAG: method,forward,3,
# CHECK-DAG: aten::tanh,{{[a-z0-9_]+}},3,3{{$}}
# CHECK-DAG: backward,SumBackward0{{[^,]*}},3,
# CHECK-DAG: backward,DifferentiableGraphBackward{{[^,]*}},3,
# CHECK-DAG: backward,AccumulateGrad{{[^,]*}},6,

import torch

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.linear(x))


net = torch.jit.script(Net())
for _ in range(9):
    net(torch.rand(2, 4)).sum().backward()
    torch.ops.torchprof.step()
