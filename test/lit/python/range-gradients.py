"""A range has the host's gradients where models ran under grad before it only."""
# RUN: %python -u -W ignore %s | FileCheck %s

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

import torchprof_jit

torchprof_jit.profile()  # from here on, only what runs in ranges is recorded
model = torch.jit.script(nn.Linear(4, 4))
x = torch.rand(2, 4, requires_grad=True)
for _ in range(3):
    model(x).exp().sum().backward()


def show(name, body):
    with torchprof_jit.profile() as range_of_body:
        body()
    calls = {row["name"]: row["calls"]
             for row in range_of_body.rows() if row["kind"] == "backward"}
    print(name, calls.get("ExpBackward0", 0), calls.get("SumBackward0", 0),
          calls.get("CheckpointFunctionBackward", 0))


# The first range: none has recorded a run under grad yet.
loss = model(x).exp().sum()


def validate():
    with torch.no_grad():
        model(x)
    loss.backward()


show("validated", validate)
# CHECK: validated 1 1 0

second_loss = model(x).exp().sum()
show("backward alone", second_loss.backward)
# CHECK-NEXT: backward alone 1 1 0
show("checkpoint",
     lambda: checkpoint(model, x, use_reentrant=True).exp().sum().backward())
# CHECK-NEXT: checkpoint 1 1 1
