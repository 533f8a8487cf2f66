"""The plan of a method that another one calls through an interface is made in the run of
that one, and so is that of the body of a fork: both are in the line Plans. The table of
the caller alone has them, with the number of its own run."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report convert %t.tprof -o %t.json
# RUN: torchprof-report summary %t.tprof --format=json --limit=0 > %t.summary.json
# RUN: %python %s %t.json %t.summary.json
# RUN: torchprof-report runs %t.tprof --include=prim::CallMethod --limit=0 --format=csv \
# RUN:   | FileCheck %s
# CHECK-DAG: {{^}}forward,whole,{{.*}},forward{{$}}
# CHECK-DAG: {{^}}forward step,whole,,profiling,1,{{.*}},forward{{$}}
# CHECK-DAG: {{^}}forward step,whole,,optimized,2,{{.*}},forward{{$}}
# UNSUPPORTED: asan, tsan

import json
import sys

if sys.argv[1:]:
    with open(sys.argv[1]) as file:
        profile = json.load(file)
    with open(sys.argv[2]) as file:
        summary = json.load(file)
    in_runs = [plan for plan in profile["plans"] if "in_run" in plan.get("flags", [])]
    before = [plan for plan in profile["plans"] if plan not in in_runs]
    assert {plan["part"] for plan in in_runs} >= {"whole", "fork"}, in_runs
    # Those of the method that the host calls, and of none that it does not.
    assert before and len({plan["root"] for plan in before}) == 1, before
    assert not ({plan["root"] for plan in before}
                & {plan["root"] for plan in in_runs
                   if plan["part"] == "whole"})
    called = [plan for plan in in_runs if "called" in plan["flags"]]
    assert {plan["part"] for plan in called} == {"whole"}, called
    assert {plan["caller"] for plan in called} == {plan["root"] for plan in before}
    ns = sum(plan["ticks"] for plan in in_runs) * 1e9 / profile["process"]["ticks_per_second"]
    plans = summary["footer"]["plans_ns"]
    assert abs(plans - ns) < 1 + 0.05 * ns, (plans, ns)
    callers = sum(row["self_ns"] for row in summary["rows"]
                  if row["kind"] in ("prim::CallMethod", "prim::fork"))
    assert 0 < plans <= callers, (plans, callers)
    sys.exit()

import torch

from Inputs import forks


@torch.jit.interface
class Step(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Called(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(30):
            x = torch.tanh(x) + 1.0
        return x


def aside(x: torch.Tensor):
    return torch.sigmoid(x) * 2.0


class Caller(torch.nn.Module):
    step: Step

    def __init__(self):
        super().__init__()
        self.step = torch.jit.script(Called())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        task = torch.jit.fork(aside, x)
        return self.step.forward(x) + torch.jit.wait(task)


model = torch.jit.script(Caller())
with torch.no_grad():
    for _ in range(6):
        model(torch.rand(4))
forks.rest()
