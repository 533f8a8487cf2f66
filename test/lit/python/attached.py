"""A range around any code that runs TorchScript: nothing is instrumented."""
# RUN: %python -u -W ignore %s %models/for_loop.pt 2>&1 | FileCheck %s
# UNSUPPORTED: asan, tsan

import sys

import torch
import torch.nn as nn

import torchprof_jit


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.part(x))


class Early(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)


@torch.jit.script
def gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / 1.41421))


early = torch.jit.script(Early())
early(torch.ones(2, 4))
with torch.autocast("cpu", dtype=torch.bfloat16):
    early(torch.ones(2, 4))

p = torchprof_jit.profile()
scripted = torch.jit.script(Model())
traced = torch.jit.trace(Model(), torch.ones(2, 4))
loaded = torch.jit.load(sys.argv[1])
code = scripted.code
with p:
    for _ in range(3):
        scripted(torch.ones(2, 4)).sum().backward()
        traced(torch.ones(2, 4))
        loaded(torch.ones(2, 4), 4)
        gelu(torch.ones(4))
        early(torch.ones(2, 4))
gelu(torch.ones(4))

rows = p.rows()
calls = {}
for row in rows:
    calls.setdefault((row["kind"], row["module"]), []).append(row["calls"])
# What ran before is not seen; the others are, with their modules. Scripted and
# traced, the module is one model: it has the same code.
assert sorted(calls["method", ""]) == [3, 3, 6], calls
assert calls["aten::linear", "part"] == [6], calls
assert calls["aten::erf", ""] == [3], calls
assert calls["aten::tanh", ""] == [12], calls
# Runs go by the name in the table, which has the model's if there are several, or by
# the method's alone.
names = {row["method"] for row in p._tables("runs")["last"]["rows"]}
assert len(names) == 3 and sum(len(p.runs(name)) for name in names) == 12, names
assert [len(p.runs(name)) for name in (None, "forward", "gelu")] == [12, 9, 3]
try:
    raise AssertionError(p.runs("backward"))
except KeyError as error:
    assert "no run of 'backward' was recorded" in str(error), error
assert scripted.code == code and not hasattr(scripted, "_torchprof_manifest")

# A model that ran before hooks were there is named by nobody: the error says
# what to do.
with torchprof_jit.profile() as nothing:
    early(torch.ones(2, 4))
try:
    nothing.summary()
except RuntimeError as error:
    print(error)
# CHECK: nothing was recorded: no TorchScript model ran inside the range that is instrumented or ran for the first time after profile() was made{{$}}

# A module that is named is seen even so, itself and unchanged; a second profile
# of it does not make its plans anew. LibTorch has other plans under autocast.
for cast in (False, True):
    p = torchprof_jit.profile(early)
    assert p.module is early
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=cast):
        for _ in range(3):
            p(torch.ones(2, 4))
    calls = {row["kind"]: row["calls"] for row in p.rows()}
    assert calls == {"method": 3, "aten::sigmoid": 3}, calls
assert not hasattr(early, "_torchprof_manifest")

# The range of a call ends before the backward of what it returns. One around both has it.
def gradients(p):
    return [row["calls"] for row in p.rows() if row["kind"] == "backward"
            and "sigmoid" in row["name"].lower().split(" of ")[0]]


x = torch.ones(2, 4, requires_grad=True)
p = torchprof_jit.profile(early)
p(x).sum().backward()
assert gradients(p) == [], p.rows()
with p:
    for _ in range(3):
        p(x).sum().backward()
assert gradients(p) == [3], p.rows()

# An option asks for an instrumented copy.
p = torchprof_jit.profile(early, nodes="all")
assert p.module is not early and hasattr(p.module, "_torchprof_manifest")
print("done")
# CHECK: done
