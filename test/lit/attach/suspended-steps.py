"""A run that goes on and ends on another thread is one step of a schedule, also while that
records nothing; what its first thread runs next, from a deeper native frame, are steps too."""
# RUN: rm -rf %t && mkdir %t
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so \
# RUN:   TORCHPROF_SCHEDULE=wait=5,warmup=1,active=3 TORCHPROF_FILE=%t/p%%s.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report runs %t/p1.tprof --format=csv | FileCheck %s
# RUN: torchprof-report runs %t/p3.tprof --format=csv | FileCheck %s
# UNSUPPORTED: asan, tsan
#
# CHECK: forward,3,
# CHECK-NEXT: {{^$}}

import torch

from Inputs import forks

torch.set_num_threads(1)


class Tasks(torch.nn.Module):
    def part(self, x: torch.Tensor):
        for i in range(20):
            x = torch.sin(x)
        return x

    @torch.jit.export
    def heads(self, x: torch.Tensor):
        return torch.jit.wait(torch.jit.fork(self.part, x))

    def forward(self, x: torch.Tensor):
        return torch.sin(x)


model = torch.jit.script(Tasks())
with torch.no_grad():
    for step in range(27):
        if step == 2:
            model.heads(torch.rand(1000000))
        else:
            model(torch.rand(4))  # through Module.__call__
forks.rest()
