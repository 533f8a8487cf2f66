"""An attached process notes each plan that LibTorch makes: of the method itself,
of its forks, and of what autograd takes out of it. Those of a call with another
type show in the run of that call."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report runs %t.tprof --limit=0 --format=csv | FileCheck %s
# The number of plans, their times and what is at the foot.
# RUN: torchprof-report runs %t.tprof | FileCheck %s --check-prefix=TABLE
# Times of other processes, threads and clocks are no longer than the process was.
# RUN: torchprof-report convert %t.tprof -o %t.json && %python %s %t.json
# A late library writes slots instead of being preloaded.
# RUN: env TORCHPROF_FILE=%t.late.tprof \
# RUN:   %python -W ignore %s late %build/lib/libtorchprof_attach.so
# RUN: torchprof-report runs %t.late.tprof --limit=0 --format=csv | FileCheck %s
# What is not profiled has no plans.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.half.tprof \
# RUN:   TORCHPROF_METHODS=other %python -W ignore %s
# RUN: torchprof-report runs %t.half.tprof --format=csv | FileCheck %s --check-prefix=OTHER \
# RUN:   --implicit-check-not=forward
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.off.tprof \
# RUN:   TORCHPROF=off %python -W ignore %s
# RUN: not ls %t.off.tprof
# UNSUPPORTED: asan, tsan
# CHECK: method,part,first_node,plan,run,bailouts_left,nodes,groups,
# CHECK-NEXT: forward,whole,,profiling,1,,
# CHECK-DAG: forward,fork,aten::linear later,profiling,1,,
# CHECK-DAG: forward,whole,,optimized,2,,
# CHECK-DAG: forward,forward,aten::linear first,profiling,2,,
# CHECK-DAG: forward,backward,,profiling,2,,
# CHECK-DAG: forward,forward,aten::linear first,optimized,3,,
# CHECK-DAG: forward,backward,,optimized,3,,
# CHECK-DAG: forward,fallback,aten::linear first,{{profiling|optimized}},{{[2-9]}},{{[0-9]+}},
# CHECK-DAG: other,whole,,profiling,1,,
# CHECK-DAG: other,whole,,optimized,2,,
# TABLE: plans that LibTorch made
# TABLE: forward whole profiling 1
# TABLE: Plans {{[1-9][0-9]}}
# TABLE-NEXT: Time {{.*}} LibTorch's
# TABLE-NEXT: torchprof's
# OTHER: other,whole,,profiling,1,,
# OTHER: other,whole,,optimized,2,,

import ctypes
import json
import sys

if sys.argv[1:] and sys.argv[1] != "late":
    profile = json.load(open(sys.argv[1]))
    process = profile["process"]
    for plan in profile["plans"]:
        assert plan["begin"] > process["start_ticks"] - 60 * process["ticks_per_second"]
        assert 0 < plan["ticks"] < process["end_ticks"] - plan["begin"], plan
        assert plan["own_ticks"] > 0, plan
        assert plan["nodes"] > 0, plan
    # What a backward takes for its plans is in a row, and in no function's self time.
    for_backward = sum(plan["ticks"] for plan in profile["plans"]
                       if plan["part"] == "backward")
    cells = {}
    for site in profile["dynamic_sites"]:
        if site["kind"] == "backward":
            cells[site["name"]] = [
                cell for lane in profile["lanes"] for cell in lane["cells"]
                if cell["slot"] == site["slot"]]
    booked = sum(cell["sum"] for cell in cells["(plans)"])
    assert booked >= for_backward > 0
    # It has torchprof's work for them, too, and little else.
    own = sum(plan["own_ticks"] for plan in profile["plans"]
              if plan["part"] == "backward")
    assert for_backward + own <= booked < 2 * (for_backward + own), (booked, own)
    assert sum(cell["gradients"] for cell in
               cells["DifferentiableGraphBackward"]) >= for_backward
    # No time is in two plans.
    whole = process["end_ticks"] - min(plan["begin"] for plan in profile["plans"])
    assert sum(plan["ticks"] for plan in profile["plans"]) < whole
    sys.exit()

import torch

from Inputs import forks

if sys.argv[1:]:
    ctypes.CDLL(sys.argv[2])


class Host(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.later = torch.nn.Linear(8, 8)

    def forward(self, x):
        waiting = torch.jit.fork(self.later, x)
        y = torch.sigmoid(torch.relu(self.first(x)) * 2 + 1)
        return torch.jit.wait(waiting) + y

    @torch.jit.export
    def other(self, x):
        return x + 1


torch.manual_seed(0)
model = torch.jit.script(Host())
for run in range(6):
    x = torch.rand(3, 8, requires_grad=run != 4)
    y = model(x)
    y.sum().backward()
    model.other(x)

forks.rest()
