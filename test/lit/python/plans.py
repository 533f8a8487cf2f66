"""The plans and loads of a range are those that were made in it."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s
# UNSUPPORTED: asan, tsan

import io
import json

import torch

import torchprof_jit


class First(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + x


class Second(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) * x


def loaded(module):
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(module), file)
    file.seek(0)
    return torch.jit.load(file)


def run(model):
    for _ in range(4):
        model(x)


def listed(p):
    tables = json.loads(p.report("runs", "--format=json", "--limit=0"))
    return ([(row["plan"], row["run"]) for row in tables["plans"]["rows"]],
            len(tables["loads"]["rows"]))


x = torch.rand(4, 4)
with torchprof_jit.profile() as outer:
    first = loaded(First())
    run(first)
    with torchprof_jit.profile() as inner:
        run(loaded(Second()))
    run(first)
with torchprof_jit.profile() as again:
    run(first)
for p in outer, inner, again:
    print(*listed(p))
# CHECK: [('profiling', 1), ('optimized', 2), ('profiling', 1), ('optimized', 2)] 2
# CHECK-NEXT: [('profiling', 1), ('optimized', 2)] 1
# CHECK-NEXT: [] 0

# One of a thread empties what its thread has made, but for the loads.
with torchprof_jit.profile(threads="current") as own:
    run(loaded(First()))
    with torchprof_jit.profile(threads="current") as inner:
        run(first)
for p in own, inner:
    print(listed(p)[0])
# CHECK-NEXT: [('profiling', 1), ('optimized', 2)]
# CHECK-NEXT: []
