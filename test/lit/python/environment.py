"""What the environment asks for, under ranges."""
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env TORCHPROF_SCHEDULE=wait=2,active=2 %python -u -W ignore %s 2>&1 | FileCheck %s --check-prefix=TAKEN
# RUN: env TORCHPROF_SCHEDULE=wait=2,active=2 %python -u -W ignore %s fails 2>&1 | FileCheck %s --check-prefix=FAILS
# RUN: env TORCHPROF_SCHEDULE=wait=2,active=2 %python -u -W ignore %s late 2>&1 | FileCheck %s --check-prefix=STAYS
# RUN: env TORCHPROF=off %python -u -W ignore %s 2>&1 | FileCheck %s --check-prefix=OFF

import sys

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


x = torch.rand(8)
model = torchprof_jit.instrument(Model())
if "fails" in sys.argv:
    # A profile that could not be made has taken over nothing.
    try:
        torchprof_jit.profile("nonesuch.pt")
    except Exception:
        print("failed")
if "late" in sys.argv or "fails" in sys.argv:
    for _ in range(4):
        model(x)
    print("in the last cycle", torch.ops.torchprof.stats()["count"])


def record(count):
    with torchprof_jit.profile(model) as p:
        for _ in range(count):
            model(x)
    try:
        print(count, "in the range,", len(p.rows()), "rows,", len(p.runs()), "runs")
    except RuntimeError as error:
        print(error)


for count in (10, 14):
    record(count)

# A schedule of the environment would leave out runs and empty the range: none does, and
# whoever asked for it is told, once.
# TAKEN: torchprof: warning: profile() takes over: TORCHPROF_SCHEDULE=wait=2,active=2 no longer applies, and outside of ranges nothing is recorded
# TAKEN-NEXT: 10 in the range, 3 rows, 10 runs
# TAKEN-NEXT: 14 in the range, 3 rows, 14 runs
# TAKEN-NOT: {{.}}

# FAILS: failed
# FAILS-NEXT: in the last cycle {{[1-9]}}
# FAILS-NEXT: torchprof: warning: TORCHPROF_SCHEDULE=wait=2,active=2 applies in ranges

# Once the process has recorded it cannot be ended. Then it is named where it shows.
# STAYS: in the last cycle {{[1-9]}}
# STAYS-NEXT: torchprof: warning: TORCHPROF_SCHEDULE=wait=2,active=2 applies in ranges, because the process had a profile before profile() was first called: they lack the runs that it leaves out, and those before its last cycle began
# STAYS-NEXT: nothing was recorded: {{.*}} made, or TORCHPROF_SCHEDULE=wait=2,active=2 left it out
# STAYS-NEXT: 14 in the range, {{[1-9]}} rows, 2 runs
# STAYS-NOT: {{.}}

# A process that is to record nothing says so: it is not that no model ran.
# OFF: nothing was recorded: TORCHPROF=off is set, which records nothing
# OFF-NEXT: nothing was recorded: TORCHPROF=off is set, which records nothing
# OFF-NOT: {{.}}
