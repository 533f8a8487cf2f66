"""A run that waits for a task goes on with another thread and ends there: it is one run with
its whole time, and what its first thread does next, such as a backward, is not a part of it."""
# RUN: rm -f %t*.tprof && %python -W ignore %s > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report check %t.tprof | FileCheck %s --check-prefix=WHOLE \
# RUN:   --implicit-check-not="in flight"
# WHOLE: the file is whole
# RUN: torchprof-report summary %t.tprof --limit=0 | FileCheck %s --implicit-check-not=Excess \
# RUN:   --implicit-check-not="calls itself"
# UNSUPPORTED: asan, tsan
# CHECK: method{{ +}}forward{{ +}}24 {{.*}} 100.00%
# CHECK: Total {{.*}} 100.00%  24 runs
# CHECK: Asynchronous
# CHECK: Backward {{.*}} gradients that the host had computed

import torch

from Inputs import forks

torch.manual_seed(0)
torch.set_num_threads(1)


def product(x: torch.Tensor, y: torch.Tensor):
    return torch.tanh(torch.mm(x, y)) + torch.mm(x, y)


class Tasks(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor):
        for i in range(3):
            task = torch.jit.fork(product, x, y)
            x = torch.relu(x) + torch.jit.wait(task)
        return x


model = torch.jit.script(Tasks())
weight = torch.randn(64, 64)
for is_grad in (False, True):
    for _ in range(12):
        x = torch.randn(64, 64, requires_grad=is_grad)
        with torch.set_grad_enabled(is_grad):
            y = model(x, weight)
        print(float(y.sum()))
        if is_grad:
            y.sum().backward()
            assert x.grad is not None
forks.rest()
