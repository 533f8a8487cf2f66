"""Operators inside of nodes are those that torch.profiler sees, which records at the
same time; labels of the host and of a scripted method are regions."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=ops,labels %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report tree %t.tprof --ops | FileCheck %s
# RUN: torchprof-report summary %t.tprof --limit=0 --columns=kind,name,calls | FileCheck %s --check-prefix=REGIONS --implicit-check-not=clamp_min
# RUN: torchprof-report summary %t.tprof --ops --limit=0 --columns=kind,calls --group-by=kind | FileCheck %s --check-prefix=GRADIENTS
# UNSUPPORTED: asan, tsan
# CHECK: |- conv Conv2d
# CHECK-NEXT: aten::conv2d
# CHECK-NEXT: aten::convolution
# CHECK-NEXT: aten::_convolution
# CHECK: `- fc Linear
# CHECK-NEXT: aten::linear
# CHECK-NOT: aten::linear
# CHECK: aten::addmm
# REGIONS-DAG: region step 5
# REGIONS-DAG: region inner 6
# REGIONS-DAG: region fails 1
# GRADIENTS-DAG: backward
# GRADIENTS-DAG: aten::convolution_backward

# Every third run has operators.
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=ops TORCHPROF_OPS_EVERY=3 %python -W ignore %s sampled
# RUN: torchprof-report summary %t.tprof --ops --limit=0 --columns=kind,name,calls | FileCheck %s --check-prefix=EVERY --implicit-check-not=region
# EVERY: aten::conv2d conv2d 9
# EVERY: aten::convolution in aten::conv2d 3

# A gradient has operators on a thread that runs no model itself, as on the engine's.
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=ops %python -W ignore %s elsewhere
# RUN: torchprof-report summary %t.tprof --ops --limit=0 --columns=kind,name,calls | FileCheck %s --check-prefix=ELSEWHERE
# ELSEWHERE: aten::convolution_backward {{.*}} 1

# They are recorded once where a run continues on such a thread, with its callback.
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=ops %python -W ignore %s forked
# RUN: torchprof-report summary %t.tprof --ops --limit=0 --columns=kind,name,calls | FileCheck %s --check-prefix=FORKED --implicit-check-not="aten::mm in aten::mm"
# FORKED: aten::mm in backward MmBackward0

import json
import os
import subprocess
import sys
import threading
from collections import Counter

import torch

from Inputs import forks

torch.set_num_threads(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.fc = torch.nn.Linear(4, 2)

    def forward(self, x):
        with torch.autograd.profiler.record_function("inner"):
            y = torch.relu(self.conv(x))
        return self.fc(y.mean([2, 3]))


class Forked(torch.nn.Module):
    def slope(self, x):
        slope = torch.autograd.grad([torch.mm(x, x).sum()], [x])[0]
        assert slope is not None
        return slope

    def forward(self, x):
        return torch.jit.wait(torch.jit.fork(self.slope, x))


def recorded():
    """Calls by operator, nodes and operators inside of them."""
    path = os.environ["TORCHPROF_FILE"] + ".snapshot.tprof"
    assert torch.ops.torchprof.snapshot(path) == 0
    output = subprocess.run(
        ["torchprof-report", "summary", path, "--ops", "--limit=0",
         "--format=json", "--columns=kind,calls"], check=True,
        stdout=subprocess.PIPE, universal_newlines=True)
    os.unlink(path)
    calls = Counter()
    for row in json.loads(output.stdout)["rows"]:
        calls[row["kind"]] += row["calls"]
    return calls


model = torch.jit.script(Net().eval())
x = torch.rand(2, 3, 16, 16)
if sys.argv[1:] == ["sampled"]:
    with torch.no_grad():
        for _ in range(9):
            model(x)
    sys.exit()

if sys.argv[1:] == ["elsewhere"]:
    worker = threading.Thread(target=model(x).sum().backward)
    worker.start()
    worker.join()
    sys.exit()

if sys.argv[1:] == ["forked"]:
    torch.jit.script(Forked())(torch.rand(4, 4, requires_grad=True))
    forks.rest()
    sys.exit()

with torch.no_grad():
    for _ in range(3):  # LibTorch's plan is made
        model(x)
    torch.ops.torchprof.reset()
    with torch.profiler.profile() as profiler:
        model(x)
# events() leaves out what has its parent's name.
seen = Counter(event.name()
               for event in profiler.profiler.kineto_results.events()
               if event.name().startswith("aten::"))
ours = recorded()
assert {name: ours[name] for name in seen} == seen, (seen, ours)

torch.ops.torchprof.reset()
model(x).sum().backward()  # the operators of gradients, too
for _ in range(3):
    with torch.profiler.record_function("step"):
        model(x)
threads = [threading.Thread(target=lambda: torch.profiler.record_function(
    "step").__enter__().__exit__(None, None, None)) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
try:
    with torch.profiler.record_function("fails"):
        model(torch.rand(1))
except RuntimeError:
    pass
with torch.no_grad():
    model(x)
