"""LibTorch makes the first plan of what takes a group's place for other shapes together
with the method's, before the run. The line Plans of the summary has only what it makes
in runs: no more than the time that no node of these has."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s run 2 0
# RUN: torchprof-report convert %t.tprof -o %t.json
# RUN: torchprof-report summary %t.tprof --format=json --limit=0 > %t.summary.json
# RUN: %python %s check %t.json %t.summary.json
#
# What is made when the other nodes do run is made in a run.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.other.tprof \
# RUN:   %python -W ignore %s run 3 3
# RUN: torchprof-report convert %t.other.tprof -o %t.other.json
# RUN: torchprof-report summary %t.other.tprof --format=json --limit=0 > %t.summary.json
# RUN: %python %s check %t.other.json %t.summary.json fallback
# UNSUPPORTED: asan, tsan

import json
import sys

if sys.argv[1] == "check":
    with open(sys.argv[2]) as file:
        profile = json.load(file)
    with open(sys.argv[3]) as file:
        summary = json.load(file)
    early = [plan for plan in profile["plans"] if plan.get("flags") == ["before_run"]]
    assert early and all(plan["part"] == "fallback" for plan in early), early
    in_runs = [plan for plan in profile["plans"]
               if plan["part"] in ("forward", "fallback") and plan not in early]
    assert {plan["part"] for plan in in_runs} == {"forward", *sys.argv[4:]}, in_runs
    ticks = sum(plan["ticks"] for plan in in_runs)
    ns = ticks * 1e9 / profile["process"]["ticks_per_second"]
    footer = summary["footer"]
    assert abs(footer["plans_ns"] - ns) < 1 + 0.05 * ns, (footer, ns)
    between = sum(row["self_ns"] for row in summary["rows"]
                  if row["kind"] == "prepares gradients")
    assert footer["plans_ns"] <= footer["unattributed_ns"] + between, (footer, between)
    sys.exit()

import torch

lines = 100 * ["    x = torch.tanh(x) * 1.01"]
model = torch.jit.ScriptModule()
model.define("\n".join(["def forward(self, x):", *lines, "    return x\n"]))
for grad, times in (True, int(sys.argv[2])), (False, int(sys.argv[3])):
    x = torch.rand(4, requires_grad=grad)
    for _ in range(times):
        model(x)
