"""What LibTorch does around nodes that it differentiates as a whole has a row of its
own, in each method, node with blocks or call of a module that the group lies in: a
call before the group, one behind it, and one for what autodiff's scripts put between
the nodes, which keep sizes. Sums stay right, outputs and gradients are
the same, a group that raises leaves nothing open, and without gradients there is no
such row."""
# RUN: rm -f %t*.tprof && %python -W ignore %s run > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s run > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s
# RUN: torchprof-report summary %t.tprof --format=json --limit=0 > %t.json
# RUN: %python %s adds_up %t.json
# RUN: torchprof-report check %t.tprof | FileCheck %s --check-prefix=SOUND
#
# An instrumented file is the same model.
# RUN: %python -W ignore %s save %t.pt && torchprof-opt --quiet --instrument %t.pt -o %t.instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.2.tprof \
# RUN:   %python -W ignore %s run %t.instr.pt > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.2.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s
#
# With modules as sites, what is measured beside time, and one reading per node.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=memory,attributes \
# RUN:   TORCHPROF_READS=one TORCHPROF_GRANULARITY=module TORCHPROF_FILE=%t.3.tprof \
# RUN:   %python -W ignore %s run > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.3.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s --check-prefix=MODULE
# RUN: torchprof-report summary %t.3.tprof --format=json --limit=0 > %t.json
# RUN: %python %s adds_up %t.json
#
# RUN: torchprof-report merge %t.tprof %t.2.tprof -o %t.twice.tprof
# RUN: torchprof-report summary %t.twice.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls | FileCheck %s --check-prefix=TWICE
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.4.tprof \
# RUN:   %python -W ignore %s without > /dev/null
# RUN: torchprof-report summary %t.4.tprof --limit=0 | FileCheck %s --check-prefix=WITHOUT
# RUN: torchprof-report tree %t.tprof --ops | FileCheck %s --check-prefix=TREE
# UNSUPPORTED: asan, tsan
# SOUND: the file is whole
# Of 12 runs all but the first, which profiles, have two groups in the method; in one of
# them the first one raises. The second group has sizes behind its product. Five have a
# group in the branch. In the last two the input requires gradients, so that other nodes
# run in the place of the first group, between its two calls.
# CHECK-DAG: method,forward,,11
# CHECK-DAG: prepares gradients,in forward,,51
# CHECK-DAG: prepares gradients,in prim::If,,10
# MODULE-DAG: prepares gradients,in
# TWICE-DAG: prepares gradients,in forward,,102
# TREE: prepares gradients
# WITHOUT-NOT: prepares gradients

import sys

from Inputs import parts

if sys.argv[1] == "adds_up":
    parts.check_sums(sys.argv[2], "prepares gradients")
    sys.exit()

import torch
import torch.nn as nn


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.branch = nn.Linear(8, 8)

    def forward(self, x, choice: bool):
        x = torch.tanh(self.first(x)) * 2 + 1
        if choice:
            x = torch.sigmoid(torch.relu(self.branch(x)) * 3)
        return torch.tanh(x * x)


def make():
    torch.manual_seed(0)
    return torch.jit.script(Layers())


torch.set_num_threads(1)
if sys.argv[1] == "save":
    make().save(sys.argv[2])
    sys.exit()
model = torch.jit.load(sys.argv[2]) if len(sys.argv) > 2 else make()
grad = sys.argv[1] == "run"
torch.manual_seed(1)
for run in range(12 if grad else 10):
    x = torch.rand(4, 8 if run != 7 else 5)
    x.requires_grad_(run >= 10)
    with torch.set_grad_enabled(grad):
        try:
            y = model(x, run % 2 == 0)
        except RuntimeError:
            print("raised")
            continue
    parts.print_digest(y, model, grad)
