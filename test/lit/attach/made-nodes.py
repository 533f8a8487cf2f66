"""Nodes that LibTorch puts into others' place have their time: what it decomposes, where
it computes many products of matrices at once, and the gradients of both. Nothing of the
method's own time is left to it."""
# RUN: rm -f %t*.tprof && %python -W ignore %s > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --format=json --limit=0 \
# RUN:   --columns=kind,name,model,calls,backward_calls > %t.json
# RUN: %python %s check %t.json
# RUN: torchprof-report summary %t.tprof | FileCheck %s
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.shapes.tprof \
# RUN:   TORCHPROF_RECORD=shapes %python -W ignore %s > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.shapes.tprof --group-by=shape --format=csv --limit=0 \
# RUN:   --columns=kind,name,model,shapes,calls,flops | FileCheck %s --check-prefix=SHAPES
# SHAPES-DAG: aten::addmm,sum,Alone,"[8] [8,8] [8,8]",6,6144
# SHAPES-DAG: aten::addmm,sum,Among,"[8] [8,8] [8,8]",6,6144
# RUN: torchprof-report summary %t.tprof --split-fused --limit=0 --columns=kind,name,model,calls \
# RUN:   --format=csv | FileCheck %s --check-prefix=SPLIT
# UNSUPPORTED: asan, tsan
# CHECK-DAG: aten::mm mm of Steps measures these nodes together: prim::MMBatchSide
# CHECK-DAG: aten::mm mm of Trained measures these nodes together: prim::MMBatchSide
# CHECK-DAG: aten::mm mm of Side measures the fused kernel of aten::mm mm, aten::mm mm_1, aten::mm mm_2, aten::mm mm_3, aten::mm mm_4, aten::mm mm_5, aten::mm mm_6, aten::mm mm_7
# CHECK-DAG: aten::mm mm of Tree measures the fused kernel of aten::mm mm, aten::mm mm_1, aten::mm mm_2, aten::mm mm_3
# SPLIT-DAG: aten::mm,mm,Side,6
# SPLIT-DAG: aten::mm,mm_7,Side,6

import hashlib
import json
import sys

CALLS, STEPS = 6, 20

if sys.argv[1:2] == ["check"]:
    with open(sys.argv[2]) as file:
        rows = json.load(file)["rows"]

    def number(column, model, kind, name):
        return sum(row[column] or 0 for row in rows
                   if (row["model"], row["kind"], row["name"]) == (model, kind, name))

    def calls(*row):
        return number("calls", *row)

    # No other node is left in this one's plan, and none of the others' is missing in it.
    for model in ("Alone", "Among"):
        assert calls(model, "aten::addmm", "sum") == CALLS, (model, rows)
    assert calls("Among", "aten::relu", "relu") == CALLS, rows
    # The first run has single products, later ones have one node.
    for model in ("Side", "Tree"):
        assert calls(model, "aten::mm", "mm") == CALLS, (model, rows)
        assert calls(model, "aten::mm", "mm_1") == 1, (model, rows)
    # Eight steps at a time, the rest one by one; what each step needs of the one before
    # it cannot be computed at once.
    at_once, single = divmod(STEPS, 8)
    first = STEPS + (CALLS - 1) * (at_once + single)
    assert calls("Steps", "aten::mm", "mm") == first, rows
    assert calls("Steps", "aten::mm", "mm_1") == CALLS * STEPS, rows
    # Where a body of a loop begins or ends with one.
    for model in ("First", "Last"):
        assert calls(model, "aten::addmm", "sum") == CALLS * STEPS, (model, rows)
    # With grad each node has its gradient, single or at once.
    for node in ("mm", "mm_1"):
        assert number("backward_calls", "Trained", "aten::mm", node) == CALLS * STEPS, rows
    assert number("backward_calls", "Trained", "aten::chunk", "chunk") == CALLS * STEPS, rows
    gradients = {row["kind"] + " " + row["name"] for row in rows if row["model"] == "Trained"}
    assert "backward aten::mm of sum" in gradients, gradients
    assert "backward aten::add of sum" in gradients, gradients
    assert "backward aten::mm of forward" not in gradients, gradients
    sys.exit()

import torch

torch.manual_seed(0)
torch.set_num_threads(1)


class Alone(torch.nn.Module):
    def forward(self, x, w):
        sum = torch.addmm(x[0], x, w)
        return sum


class Among(torch.nn.Module):
    def forward(self, x, w):
        sum = torch.addmm(x[0].tanh(), x, w)
        return torch.relu(sum)


class Side(torch.nn.Module):
    def forward(self, x, w):
        y = x.tanh()
        a = torch.cat([torch.mm(y, w), torch.mm(y, w + 1), torch.mm(y, w + 2), torch.mm(y, w + 3)])
        b = torch.cat([torch.mm(y, w - 1), torch.mm(y, w - 2), torch.mm(y, w - 3), torch.mm(y, x)])
        return torch.cat([a, b])


class Tree(torch.nn.Module):
    def forward(self, x, w):
        return torch.mm(x, w) + torch.mm(w, x) + torch.mm(x, x) + torch.mm(w, w)


class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(8, 8))
        self.u = torch.nn.Parameter(torch.rand(8, 8))

    def forward(self, x, start):
        state = start
        for step in range(x.size(0)):
            state = torch.tanh(torch.mm(x[step], self.w) + torch.mm(state, self.u))
        return state


class First(torch.nn.Module):
    def forward(self, x, w):
        for _ in range(x.size(0)):
            sum = torch.addmm(w, w, w)
            w = torch.tanh(sum)
        return w


class Last(torch.nn.Module):
    def forward(self, x, w):
        for _ in range(x.size(0)):
            state = torch.tanh(w)
            sum = torch.addmm(w, state, w)
            w = sum
        return w


class Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(8, 16))
        self.u = torch.nn.Parameter(torch.rand(8, 16))

    def forward(self, x, start):
        state = start
        for step in range(x.size(0)):
            gates = torch.mm(x[step], self.w) + torch.mm(state, self.u)
            a, b = gates.chunk(2, 1)
            state = torch.tanh(a) * torch.sigmoid(b)
        sum = torch.addmm(start, state, state)
        return sum


def run(model, *inputs):
    outputs = [model(*inputs)]
    if outputs[0].requires_grad:
        outputs[0].sum().backward()
        outputs += [p.grad for p in model.parameters()]
    print(*[hashlib.sha256(o.detach().numpy().tobytes()).hexdigest()[:16] for o in outputs])


for make in (Alone, Among, Side, Tree):
    model = torch.jit.script(make())
    for _ in range(CALLS):
        run(model, torch.rand(8, 8), torch.rand(8, 8))
for make in (Steps, First, Last, Trained):
    model = torch.jit.script(make())
    for _ in range(CALLS):
        with torch.set_grad_enabled(make is Trained):
            run(model, torch.rand(STEPS, 8, 8), torch.rand(8, 8))
