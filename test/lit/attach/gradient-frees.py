"""What LibTorch frees behind a group counts to the nodes whose gradients needed it: what
came to the group and what its forward had kept. Gradients that nobody asked for have rows of
their own, and advice. The rows are no gradients more. Tensors of different sizes tell whose is
whose."""
# UNSUPPORTED: asan, tsan
# RUN: rm -f %t*.tprof && %python -W ignore %s > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=memory %python -W ignore %s > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --format=json --limit=0 \
# RUN:   --columns=kind,name,calls,self_ns,backward_calls,freed_bytes > %t.json
# RUN: %python %s check %t.json
# RUN: torchprof-report advise %t.tprof --min-pct=0.01 | FileCheck %s --check-prefix=ADVICE
# ADVICE: backward of nodes that also computes gradients nobody asked for: 2 nodes ({{.*}}), most in the root module
# ADVICE-NEXT: try: requires_grad_(False) on parameters that nobody trains
#
# Where a function keeps its tensors it is not known how long it takes to free gradients,
# nor where a hook of the host's follows: its time is no gradient's.
# RUN: env TORCHPROF_FILE=%t.1.tprof %python -W ignore %s \
# RUN:   %build/lib/libtorchprof_attach.so retain > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.1.tprof --format=csv --limit=0 --columns=kind,name,calls,self_ns \
# RUN:   | FileCheck %s --check-prefix=KEPT
# KEPT-DAG: backward,(unused) of scaled,8,0
# KEPT-DAG: backward,(unused) of row,8,0
# RUN: env TORCHPROF_FILE=%t.3.tprof %python -W ignore %s \
# RUN:   %build/lib/libtorchprof_attach.so hook > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report summary %t.3.tprof --format=csv --limit=0 --columns=kind,name,calls,self_ns \
# RUN:   | FileCheck %s --check-prefix=KEPT
#
# Where the hooks come with the library, and in a trace.
# RUN: env TORCHPROF_FILE=%t.2.tprof TORCHPROF_MODE=trace TORCHPROF_RECORD=memory \
# RUN:   %python -W ignore %s %build/lib/libtorchprof_attach.so > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report check %t.2.tprof
# RUN: torchprof-report summary %t.2.tprof --format=json --limit=0 \
# RUN:   --columns=kind,name,calls,self_ns,backward_calls,freed_bytes > %t.json
# RUN: %python %s check %t.json

import hashlib
import json
import sys
import time

ROWS, WIDE, NARROW, CALLS = 64, 1024, 16, 10
# The first backward has no group, and the graph of the second does not yet know which
# gradients there are.
NOTED = CALLS - 2

if sys.argv[1:2] == ["check"]:
    with open(sys.argv[2]) as file:
        document = json.load(file)
    rows = {row["name"]: row for row in document["rows"]}

    def check_freed(node, *tensors):
        """tensors: how many elements each has that a call frees. malloc may give a little
        more than was asked for, each time another little."""
        more = rows["(freed) of " + node]["freed_bytes"] - NOTED * 4 * sum(tensors)
        assert 0 <= more <= NOTED * 64 * len(tensors), (node, more, rows)

    # What the sigmoid has kept, and what came to it.
    check_freed("narrow", ROWS * NARROW, ROWS * NARROW)
    # The tanh and the product have kept the same tensor, the product longer.
    check_freed("row", ROWS * WIDE)
    check_freed("wide")
    # Gradients of parameters, which nobody asked for: what the product has kept of its
    # parameter the host holds.
    check_freed("scaled")
    for name in ["scaled", "row"]:
        unused = rows["(unused) of " + name]
        assert unused["calls"] == NOTED and unused["self_ns"] > 0, rows
    for name in ["wide", "narrow"]:
        assert "(unused) of " + name not in rows, rows
    for name in ["scaled", "wide", "row", "narrow"]:
        assert rows[name]["backward_calls"] == CALLS, rows
    assert "excess_ns" not in document["footer"], document["footer"]
    sys.exit()

import torch

if len(sys.argv) > 1:
    torch.ops.load_library(sys.argv[1])


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.rand(WIDE))
        self.turn = torch.nn.Parameter(torch.rand(WIDE, NARROW))

    def forward(self, x):
        scaled = x * self.factor
        wide = torch.tanh(scaled)
        row = torch.matmul(wide, self.turn)
        narrow = torch.sigmoid(row)
        return narrow


torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.jit.script(Model())
for _ in range(CALLS):
    x = torch.rand(ROWS, WIDE, requires_grad=True)
    narrow = model(x)
    # So that the gradient that comes to the group is memory of its own.
    y = (narrow * narrow).sum()
    if "hook" in sys.argv:
        group = y.grad_fn.next_functions[0][0].next_functions[0][0]
        group.register_hook(lambda *gradients: time.sleep(0.001))
        del group
    del narrow
    gradients = torch.autograd.grad([y], [x], retain_graph="retain" in sys.argv)
    print(*[hashlib.sha256(g.numpy().tobytes()).hexdigest()[:16] for g in gradients])
