"""Schedules, threads, and one range at a time."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s

import threading

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


x = torch.rand(8)
model = torchprof_jit.instrument(Model())
assert torchprof_jit.instrument(model) is model


def calls(p):
    return {row["kind"]: row["calls"] for row in p.rows()}


def ready(p):
    print("cycle after step", p.step_number, "calls", calls(p)["aten::relu"])


for make in (torchprof_jit.schedule, torch.profiler.schedule):
    steps = make(skip_first=1, wait=1, warmup=1, active=2, repeat=2)
    with torchprof_jit.profile(
        model, schedule=steps, on_trace_ready=ready
    ) as p:
        for _ in range(12):
            model(x)
            p.step()
# CHECK: cycle after step 5 calls 2
# CHECK-NEXT: cycle after step 9 calls 2
# CHECK-NEXT: cycle after step 5 calls 2
# CHECK-NEXT: cycle after step 9 calls 2

try:
    torchprof_jit.schedule(wait=0, warmup=0, active=0)
except ValueError as error:
    print(error)
# CHECK-NEXT: steps must be 0 or more, and active above 0


def record(threads):
    with torchprof_jit.profile(threads=threads) as p:
        model(x)
        other = threading.Thread(target=lambda: [model(x) for _ in range(4)])
        other.start()
        other.join()
    return calls(p)["aten::relu"]


print("all", record("all"), "current", record("current"))
# CHECK-NEXT: all 5 current 1

with torchprof_jit.profile(model) as outer:
    try:
        torchprof_jit.profile(model)(x)
    except RuntimeError as error:
        print(error)
# CHECK-NEXT: another profile records already

try:
    outer.file
except RuntimeError as error:
    print(error)
# CHECK-NEXT: nothing was recorded: no model ran inside the range that is instrumented

# An error of the model leaves the range closed.
p = torchprof_jit.profile(model)
try:
    p("not a tensor")
except Exception:
    pass
p(x)
print("after an error", calls(p)["aten::relu"])
# CHECK: after an error 1
