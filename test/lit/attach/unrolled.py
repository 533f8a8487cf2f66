"""A loop that LibTorch unrolls after its first runs takes nothing from the footer:
its nodes are part of the method, which has no more time of its own than it had. So it
is in the body of a fork, where they are part of nothing."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof | FileCheck %s --implicit-check-not=Excess
# RUN: torchprof-report summary %t.tprof --format=json --columns=kind,calls,self_ns \
# RUN:   | %python %s -
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s fork
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof \
# RUN:   | FileCheck %s --check-prefix=FORK --implicit-check-not=Excess --implicit-check-not='*'
# FORK: prim::fork
# FORK: aten::relu {{.*}} 400
# FORK: LibTorch folded, unrolled or replaced, so that not every run has them: prim::Loop
# UNSUPPORTED: asan, tsan
# CHECK: aten::relu {{.*}} 400
# CHECK: Unattributed
# CHECK: LibTorch folded, unrolled or replaced, so that not every run has them: prim::Loop

import json
import sys

if sys.argv[1:] == ["-"]:
    table = json.load(sys.stdin)
    footer = table["footer"]
    # Each figure is rounded to a tenth of a nanosecond.
    sum_ns = footer["sum_of_nodes_ns"] + footer["unattributed_ns"]
    assert abs(sum_ns - footer["total_ns"]) < 0.5, footer
    method = [row["self_ns"] for row in table["rows"] if row["kind"] == "method"]
    assert len(method) == 1, method
    assert abs(method[0] - footer["unattributed_ns"]) < 0.5, (method, footer)
    sys.exit()

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        for _ in range(20):
            x = torch.relu(x)
        return x


class Forked(torch.nn.Module):
    def body(self, x):
        for _ in range(20):
            x = torch.relu(x)
        return x

    def forward(self, x):
        return torch.jit.wait(torch.jit.fork(self.body, x))


made = Forked() if sys.argv[1:] else Model()
model = torch.jit.script(made.eval())
with torch.no_grad():
    for _ in range(20):
        model(torch.ones(3))
