"""Who allocated what is alive: what the host keeps of each run is found, with the
node that made it, and what only one run holds is not."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=blocks TORCHPROF_MODE=trace %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report memory %t.tprof | FileCheck %s
# RUN: torchprof-report runs %t.tprof | FileCheck %s --check-prefix=RUNS
# RUN: torchprof-report export --to=chrome %t.tprof | FileCheck %s --check-prefix=TRACE
# UNSUPPORTED: asan, tsan
# CHECK: alive at the peak
# CHECK: aten::relu block {{.*}}blocks.py:{{[0-9]+}}
# CHECK: growing from the end of run 8 to that of 20
# CHECK-NEXT: node source per run grown held
# CHECK: aten::relu block {{.*}}blocks.py:{{[0-9]+}} 6.3 KiB 75.{{[0-9]}} KiB 125.{{[0-9]}} KiB
# CHECK-NOT: aten::
# RUNS: memory of the last runs, the newest last
# RUNS: forward lane 0 ({{.*}}) {{.*}} KiB aten::
# TRACE: {"ph":"C","name":"CPU memory of tensors",

import threading

import torch

torch.set_num_threads(1)


class Block(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        hidden = self.block(torch.mm(x, x))
        return hidden, torch.mm(hidden, hidden)


model = torch.jit.script(Net().eval())
x, kept = torch.rand(40, 40), []
with torch.no_grad():
    for _ in range(20):
        hidden, result = model(x)
        kept.append(hidden[:1])  # a view, which holds all of it
# Freed on another thread than that which allocated.
thread = threading.Thread(target=kept.clear)
thread.start()
thread.join()
