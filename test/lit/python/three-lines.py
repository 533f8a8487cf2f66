"""The three lines: a profiler for any module, a run, a sorted summary."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s
# Where nothing can be attached, an instrumented copy serves.
# RUN: env TORCHPROF_ATTACH=off %python -u -W ignore %s 2>&1 | FileCheck %s

import torch
import torch.nn as nn

import torchprof_jit


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


model = Model().eval()
x = torch.rand(2, 3, 16, 16)

p = torchprof_jit.profile(model)
y = p(x)
print(p.summary(style="fx", sort_by="mean_ns"))
# CHECK: Op type {{.*}}Op {{.*}}Average runtime (s) {{.*}}Pct total runtime
# CHECK: conv

assert torch.equal(y, model(x))
for _ in range(9):
    p(x)
rows = {row["kind"]: row for row in p.rows()}
assert rows["method"]["calls"] == 10, rows
assert rows["aten::conv2d"]["calls"] == 10, rows
assert rows["aten::conv2d"]["module"] == "conv", rows
assert rows["aten::relu"]["total_ns"] <= rows["method"]["total_ns"], rows

runs = p.runs()
assert len(runs) == 10, runs
assert abs(sum(runs) * 1e9 / rows["method"]["total_ns"] - 1) < 0.01, runs
# A method has its model's name in front, also of the only one that ran.
assert p.runs("Model.forward") == p.runs("forward") == runs
for method in ("Other.forward", "Model.backward"):
    try:
        p.runs(method)
    except KeyError as error:
        print(error)
# CHECK: no run of 'Other.forward' was recorded
# CHECK: no run of 'Model.backward' was recorded
samples = p.node_runtimes(rows["aten::relu"]["name"])
assert 1 <= len(samples) <= 10 and min(samples) > 0, samples
try:
    p.node_runtimes("nonesuch")
except KeyError as error:
    print(error)
# CHECK: no node 'nonesuch' was recorded

# A range of its own starts empty.
with p:
    p.module(x)
assert p.rows()[0]["calls"] == 1, p.rows()[0]

# What is not inside a range is not recorded.
p.module(x)
assert p.rows()[0]["calls"] == 1, p.rows()[0]
print("done")
# CHECK: done
