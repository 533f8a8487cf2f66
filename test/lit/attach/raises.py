"""A method is over when its own `raise` or `assert` leaves it: what the host runs next is a
run, and no gradients are counted to the method, although Python calls a model from a deeper
native stack than a method of one."""
# RUN: rm -f %t*.tprof && %python -W ignore %s %t.pt save
# RUN: torchprof-opt --quiet --instrument %t.pt -o %t.instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.1.tprof \
# RUN:   %python -W ignore %s %t.pt
# RUN: torchprof-report summary %t.1.tprof --limit=0 | FileCheck %s --check-prefixes=CHECK,HOOKS
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.2.tprof \
# RUN:   TORCHPROF_HOOKS=off %python -W ignore %s %t.instr.pt
# RUN: torchprof-report summary %t.2.tprof --limit=0 | FileCheck %s
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.3.tprof \
# RUN:   %python -W ignore %s %t.instr.pt
# RUN: torchprof-report summary %t.3.tprof --limit=0 | FileCheck %s --check-prefixes=CHECK,HOOKS
# UNSUPPORTED: asan, tsan
# CHECK: method {{.*}}forward {{.*}}1003{{ }}
# HOOKS-NOT: computed inside of nodes
# CHECK: Total {{.*}} 1003 runs
# HOOKS: Backward {{.*}} gradients that the host had computed
# CHECK: Unfinished{{ +}}4{{ }}

import sys

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        return torch.relu(self.linear(x))

    @torch.jit.export
    def check(self, x):
        assert x.size(0) < 8, "too many"
        if x.size(1) != 64:
            raise ValueError("expected 64 columns, found " + str(x.size(1)))
        return self.linear(x)


def fails(x):
    try:
        net.check(x)
    except Exception:
        return
    raise SystemExit("check() let pass what it should not")


if sys.argv[2:]:
    torch.jit.script(Net()).save(sys.argv[1])
    sys.exit()
torch.set_num_threads(1)
net = torch.jit.load(sys.argv[1])
x = torch.rand(4, 64)
with torch.no_grad():
    for _ in range(3):
        net(x)
    for rows in (8, 9):
        fails(torch.rand(rows, 64))
    for _ in range(500):
        net(x)
    for columns in (63, 62):
        fails(torch.rand(4, columns))
    for _ in range(490):
        net(x)
for _ in range(10):
    net(x).sum().backward()
