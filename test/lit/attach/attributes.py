"""What reads parameters out of modules has rows of its own, one for each method, node
with blocks, call of a module or fork that it lies in, with as many calls as the
interpreter has stretches of such instructions. Sums stay right, outputs and gradients
are the same, and without the word nothing is there."""
# RUN: rm -f %t*.tprof && %python -W ignore %s run > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=attributes \
# RUN:   TORCHPROF_FILE=%t.tprof %python -W ignore %s run > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s
# RUN: torchprof-report summary %t.tprof --format=json --limit=0 > %t.json
# RUN: %python %s adds_up %t.json
# RUN: %python -W ignore %s save %t.pt && torchprof-opt --quiet --instrument %t.pt -o %t.instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=attributes \
# RUN:   TORCHPROF_FILE=%t.2.tprof %python -W ignore %s run %t.instr.pt > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.2.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s
#
# Where modules are the sites, with one reading of the clock per node.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=attributes \
# RUN:   TORCHPROF_READS=one TORCHPROF_GRANULARITY=module TORCHPROF_FILE=%t.3.tprof \
# RUN:   %python -W ignore %s run > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.3.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s --check-prefix=MODULE
# RUN: torchprof-report summary %t.3.tprof --format=json --limit=0 > %t.json
# RUN: %python %s adds_up %t.json
#
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=attributes \
# RUN:   TORCHPROF_FILE=%t.4.tprof %python -W ignore %s forks
# RUN: torchprof-report summary %t.4.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,pct_total | FileCheck %s --check-prefix=FORKS
# RUN: torchprof-report summary %t.4.tprof --format=json --limit=0 > %t.json
# RUN: %python %s adds_up %t.json
#
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=cpu \
# RUN:   TORCHPROF_FILE=%t.5.tprof %python -W ignore %s run > /dev/null
# RUN: torchprof-report summary %t.5.tprof --limit=0 | FileCheck %s --check-prefix=OFF
# RUN: torchprof-report check %t.5.tprof | FileCheck %s --check-prefix=OFF
# UNSUPPORTED: asan, tsan
# OFF-NOT: reads attributes
#
# Of 20 runs, half of them with grad, each has 3 trips and every other one the branch.
# A linear's module is read before what computes its input, its parameters after that:
# two stretches where something lies between, as in the loop and the branch.
# CHECK-DAG: method,forward,,20
# CHECK-DAG: reads attributes,in forward,,40
# CHECK-DAG: reads attributes,in prim::Loop,,120
# CHECK-DAG: reads attributes,in prim::If,,20
# MODULE-DAG: method,forward,,20
# MODULE-DAG: reads attributes,in forward,,180
# FORKS-DAG: reads attributes,in forward,,40,{{[0-9]}}
# What runs beside its parent has no share of the total.
# FORKS-DAG: reads attributes,in prim::fork,,20,{{$}}

import sys

from Inputs import parts

if sys.argv[1] == "adds_up":
    parts.check_sums(sys.argv[2], "reads attributes")
    sys.exit()

import torch
import torch.nn as nn

from Inputs import forks


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.again = nn.Linear(8, 8)
        self.branch = nn.Linear(8, 8)
        self.last = nn.Linear(8, 8)

    def forward(self, x, trips: int, choice: bool):
        x = self.first(x)
        for _ in range(trips):
            x = torch.relu(self.again(torch.tanh(x)))
        if choice:
            x = torch.sin(self.branch(torch.cos(x)))
        return self.last(x)


class Forks(nn.Module):
    def __init__(self):
        super().__init__()
        self.beside = nn.Linear(8, 8)
        self.here = nn.Linear(8, 8)

    def forward(self, x):
        future = torch.jit.fork(self.beside, x)
        y = self.here(x)
        return y + torch.jit.wait(future)


torch.manual_seed(0)
torch.set_num_threads(1)
if sys.argv[1] == "forks":
    plain, model = Forks(), torch.jit.script(Forks())
    model.load_state_dict(plain.state_dict())
    with torch.no_grad():
        for _ in range(20):
            x = torch.rand(4, 8)
            assert torch.equal(model(x), plain(x))
    forks.rest()
    sys.exit()
model = torch.jit.script(Layers())
if sys.argv[1] == "save":
    model.save(sys.argv[2])
    sys.exit()
if len(sys.argv) > 2:
    model = torch.jit.load(sys.argv[2])
for grad in False, True:
    for run in range(10):
        x = torch.rand(4, 8)
        with torch.set_grad_enabled(grad):
            y = model(x, 3, run % 2 == 0)
        parts.print_digest(y, model, grad)
