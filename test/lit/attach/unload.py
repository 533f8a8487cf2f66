"""Models that come and go leave nothing behind, and threads may load and run at
once."""
# RUN: rm -f %t.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s %models/interface_calls.pt | FileCheck %s
# UNSUPPORTED: asan, tsan
# RUN: torchprof-report summary %t.tprof | FileCheck --check-prefix=SUMMARY %s
# SUMMARY-DAG: aten::mul {{.*}} 126
# SUMMARY-DAG: method forward Large 126
# SUMMARY: Lost 0

import gc
import io
import sys
import threading

import torch


class Large(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(4 << 20))  # 16 MiB

    def forward(self, x):
        return self.weight[0] * x


def resident():
    """MiB of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 >> 20


archive = io.BytesIO()
torch.jit.save(torch.jit.script(Large()), archive)
data = archive.getvalue()


def load_and_run(model=data):
    module = torch.jit.load(io.BytesIO(data))
    for _ in range(3):
        module(torch.ones(2))
    with open(sys.argv[1], "rb") as file:
        torch.jit.load(io.BytesIO(file.read()))(torch.ones(2, 4), 1)


load_and_run()
gc.collect()
before = resident()
for _ in range(25):
    load_and_run()
    gc.collect()
grown = resident() - before
assert grown < 160, "%d MiB more after 25 models of 16 MiB" % grown

threads = [threading.Thread(target=lambda: [load_and_run() for _ in range(4)])
           for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
# CHECK: done
