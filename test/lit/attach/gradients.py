"""Nodes have their gradients' time beside their own, inside of LibTorch's groups too:
where a host runs backward, in a model that differentiates itself, and the second
time. Nothing that is computed changes."""
# RUN: rm -f %t*.tprof && %python -W ignore %s train > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s train > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls | FileCheck %s
# RUN: torchprof-report summary %t.tprof --group-by=module --format=csv \
# RUN:   --columns=module,backward_calls | FileCheck %s --check-prefix=MODULE
# RUN: torchprof-report check %t.tprof | FileCheck %s --check-prefix=WHOLE
# RUN: %python -W ignore %s potential > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.2.tprof \
# RUN:   %python -W ignore %s potential > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.2.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls | FileCheck %s --check-prefix=FORCES
# RUN: torchprof-report summary %t.2.tprof --format=json --limit=0 > %t.json
# RUN: %python %s adds_up %t.json
# RUN: %python -W ignore %s second > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.3.tprof \
# RUN:   %python -W ignore %s second > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.3.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls | FileCheck %s --check-prefix=SECOND
# RUN: %python -W ignore %s shared > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.4.tprof \
# RUN:   %python -W ignore %s shared > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.4.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls | FileCheck %s --check-prefix=SHARED
# UNSUPPORTED: asan, tsan
#
# The first of ten runs has no group yet: a linear's gradient is two functions.
# CHECK-DAG: aten::linear,{{.*}},first,10,11
# CHECK-DAG: aten::linear,{{.*}},last,10,11
# CHECK-DAG: aten::tanh,{{.*}},,10,10
# CHECK-DAG: backward,AddmmBackward0{{[^,]*}},first,1,
# CHECK-DAG: backward,TBackward0{{[^,]*}},last,1,
# CHECK-DAG: backward,TanhBackward0{{[^,]*}},,1,
# CHECK-DAG: backward,DifferentiableGraphBackward{{[^,]*}},,9,
# CHECK-DAG: backward,aten::linear{{[^,]*}},first,9,
# CHECK-DAG: backward,aten::linear{{[^,]*}},last,9,
# CHECK-DAG: backward,aten::tanh{{[^,]*}},,9,
# Of two like nodes one has a gradient.
# CHECK-DAG: aten::sigmoid,scale,,10,{{$}}
# CHECK-DAG: aten::sigmoid,sigmoid,,10,10
# CHECK-DAG: backward,aten::sigmoid{{[^,]*}},,9,
# MODULE-DAG: first,11
# MODULE-DAG: last,11
# WHOLE: backwards {{[1-9]}}
# FORCES-DAG: aten::grad,{{.*}},,10,{{$}}
# FORCES-DAG: aten::linear,{{.*}},first,10,1{{[01]$}}
# FORCES-DAG: aten::linear,{{.*}},last,10,1{{[01]$}}
# Both orders count to the node, in as many pieces as LibTorch makes of them.
# SECOND-DAG: aten::linear,{{.*}},first,10,{{[1-9][0-9]}}{{$}}
# SECOND-DAG: aten::tanh,{{.*}},,10,{{[1-9][0-9]}}{{$}}
# In optimized groups the gradients of `near` are added up behind all others: a second piece of
# the product whose part came last.
# SHARED-DAG: aten::mul,first,,10,10
# SHARED-DAG: aten::mul,second,,10,18
# SHARED-DAG: aten::sigmoid,{{.*}},,10,10

import hashlib
import json
import sys
from typing import List, Optional

if sys.argv[1] == "adds_up":
    # The time of gradients lies in aten::grad, whose self time it is not.
    document = json.load(open(sys.argv[2]))
    rows, footer = document["rows"], document["footer"]
    # What lies in a group's function is counted in its node's row.
    inside = sum(row["self_ns"] for row in rows if row["kind"] == "backward")
    (grad,) = [row for row in rows if row["kind"] == "aten::grad"]
    assert abs(grad["total_ns"] - grad["self_ns"] - inside) < 1, (grad, inside)
    assert 0 < inside < grad["total_ns"], (grad, inside)
    assert abs(footer["gradients_ns"] - inside) < 1, (footer, inside)
    parts = (footer["sum_of_nodes_ns"] + footer["gradients_ns"] +
             footer["unattributed_ns"])
    assert abs(parts - footer["total_ns"]) < 1 + 1e-6 * parts, footer
    sys.exit()

import torch
import torch.nn as nn


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.last = nn.Linear(16, 8)

    def forward(self, x, scale):
        scale = torch.sigmoid(scale)
        return torch.sigmoid(self.last(torch.tanh(self.first(x)))) * scale


class Potential(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 16)
        self.last = nn.Linear(16, 1)

    def forward(self, x):
        x = x.requires_grad_(True)
        energy = self.last(torch.tanh(self.first(x))).sum()
        ones: List[Optional[torch.Tensor]] = [torch.ones_like(energy)]
        forces = torch.autograd.grad([energy], [x], ones)[0]
        assert forces is not None
        return energy.detach(), -forces


class Shared(nn.Module):
    def forward(self, x, w, index):
        near = x.index_select(0, index)
        basis = torch.sin(w) / w
        first = torch.tanh(basis) * near
        y = x.index_add(0, index, first)
        second = torch.sigmoid(basis) * near
        return torch.cos(y).sum() + second.sum()


def digest(*tensors):
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(tensor.detach().double().numpy().tobytes())
    return found.hexdigest()[:16]


torch.manual_seed(0)
model = torch.jit.script({"potential": Potential, "shared": Shared}.get(
    sys.argv[1], Layers)())
for _ in range(10):
    if sys.argv[1] == "shared":
        x, w = [torch.rand(4, 8, requires_grad=True) for _ in range(2)]
        y = model(x, w, torch.tensor([0, 2, 1, 3]))
        y.backward()
        print(digest(y, x.grad, w.grad))
        continue
    if sys.argv[1] == "potential":
        print(digest(*model(torch.rand(5, 3))))
        continue
    x = torch.rand(4, 8, requires_grad=True)
    y = model(x, torch.rand(4, 8))
    if sys.argv[1] == "train":
        model.zero_grad()
        y.sum().backward()
        print(digest(y, x.grad, *[p.grad for p in model.parameters()]))
    else:
        (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (slope * slope).sum().backward()
        print(digest(y, slope, x.grad))
