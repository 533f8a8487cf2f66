"""How long a device works for gradients: known durations are found for each layer,
and what was reached when the process ends is not lost. Autograd's engine has a thread
for a device: what that computes for a model is the model's all the same."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=device %python -W ignore %s %source %build
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --columns=kind,module,device_ns,device_calls,backward_calls,backward_device_ns \
# RUN:   | FileCheck %s --implicit-check-not='not known'
# RUN: torchprof-report tree %t.tprof --columns=module,device_ns,backward_device_ns,total_backward_device_ns \
# RUN:   | FileCheck %s --check-prefix=TREE
# RUN: torchprof-report export --to=folded --weight=device %t.tprof \
# RUN:   | FileCheck %s --check-prefix=FOLDED
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.2.tprof \
# RUN:   TORCHPROF_RECORD=device %python -W ignore %s %source %build potential
# RUN: torchprof-report check %t.2.tprof
# RUN: torchprof-report summary %t.2.tprof --format=json --limit=0 \
# RUN:   --columns=kind,name,total_ns,self_ns,device_ns,self_device_ns,backward_calls > %t.json
# RUN: %python %s adds_up %t.json
# UNSUPPORTED: asan, tsan
# CHECK-DAG: method {{.*}}60.0{{[0-9]+}} ms 20
# CHECK-DAG: fakedev::busy inner 40.0{{[0-9]+}} ms 20 20 80.0{{[0-9]+}} ms
# CHECK-DAG: fakedev::busy 20.0{{[0-9]+}} ms 20 20 40.0{{[0-9]+}} ms
# CHECK-DAG: backward inner{{.*}} 80.0{{[0-9]+}} ms 20
# CHECK-DAG: backward 40.0{{[0-9]+}} ms 20
# CHECK: Device 60.0{{[0-9]+}} ms
# CHECK: Device backward 120.{{[0-9]+}} ms {{.*}}gradients
# TREE: (root) 60.0{{[0-9]+}} ms 40.0{{[0-9]+}} ms 120.{{[0-9]+}} ms
# TREE-NEXT: inner 40.0{{[0-9]+}} ms 80.0{{[0-9]+}} ms 80.0{{[0-9]+}} ms
# FOLDED-DAG: forward;inner(Inner);fakedev::busy;backward 80{{[0-9]+}}
# FOLDED-DAG: forward;fakedev::busy;backward 40{{[0-9]+}}

import json
import sys
from typing import List, Optional

if sys.argv[1] == "adds_up":
    document = json.load(open(sys.argv[2]))
    rows, footer = document["rows"], document["footer"]
    gradients = [row for row in rows if row["kind"] == "backward"]
    assert all(" of " in row["name"] for row in gradients), gradients
    inside = sum(row["self_ns"] for row in gradients)
    (grad,) = [row for row in rows if row["kind"] == "aten::grad"]
    assert 0 < inside < grad["total_ns"], (grad, inside)
    assert abs(grad["total_ns"] - grad["self_ns"] - inside) < 2, (grad, inside)
    assert abs(footer["gradients_ns"] - inside) < 2, (footer, inside)
    assert "backward_ns" not in footer, footer
    (busy,) = [row for row in rows if row["kind"] == "fakedev::busy"]
    assert busy["backward_calls"] == 20, busy
    assert 79e6 < grad["device_ns"] < 90e6, grad
    assert grad["self_device_ns"] < 10e6, grad
    sys.exit()

import torch

source, build = sys.argv[1:3]
sys.path.insert(0, source + "/test/fake-device")
import fake_device

device = fake_device.load(build)
torch.ops.fakedev.be_accelerator()
torch.set_num_threads(1)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = fake_device.Inner()

    def forward(self, x):
        return torch.ops.fakedev.busy(self.inner(x), 1000000)


class Potential(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = fake_device.Inner()

    def forward(self, x, gradient):
        x = x.detach().requires_grad_(True)
        gradients: List[Optional[torch.Tensor]] = [gradient]
        slope = torch.autograd.grad([self.inner(x)], [x], gradients)[0]
        assert slope is not None
        return slope


is_potential = sys.argv[3:] == ["potential"]
model = torch.jit.script(Potential() if is_potential else Model())
x = torch.ones(2, 2).to(device).requires_grad_()
gradient = torch.ones(2, 2).to(device)
for step in range(23):
    if step == 3:  # LibTorch has optimized; the device is behind from now on
        torch.ops.fakedev.wait()
        torch.ops.torchprof.reset()
        torch.ops.fakedev.busy(x.detach(), 1000000000)
    x.grad = None
    if is_potential:
        model(x, gradient)
    else:
        model(x).backward(gradient)
torch.ops.fakedev.wait()
