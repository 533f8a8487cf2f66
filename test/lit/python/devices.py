"""profile(activities=...) records the device's time, waits for the device when its
range ends, and the recipe's call sites work by their names."""
# RUN: rm -f %t*.tprof
# RUN: env TORCHPROF_FILE=%t.tprof %python -W ignore %s %source %build | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK: Name {{.*}} Self device device total device time avg # of Calls
# CHECK: fakedev::busy {{.*}} 10{{.*}} ms 10{{.*}} ms 10.{{.*}} ms 10
# CHECK: aten::relu
# CHECK: Self device time total: 10{{.*}} ms

import sys
import types
from unittest import mock

import torch

import torchprof_jit

sys.path.insert(0, sys.argv[1] + "/test/fake-device")
import fake_device

device = fake_device.load(sys.argv[2])


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(torch.ops.fakedev.busy(x, 10000000))


model = torch.jit.script(Model().eval())
x = torch.ones(2).to(device)
activities = [torch.profiler.ProfilerActivity.CPU,
              torch.profiler.ProfilerActivity.CUDA]


def run(times):
    torch.ops.fakedev.busy(x, 300000000)  # the device is behind
    for _ in range(times):
        model(x)


def check(p, times):
    rows = {row["kind"]: row["device_calls"]
            for row in p.rows(columns=["kind", "device_calls"])}
    assert rows == {"method": times, "fakedev::busy": times,
                    "aten::relu": times}, rows


torch.set_grad_enabled(False)
with torchprof_jit.profile(model, activities=activities) as p:
    run(10)
print(p.key_averages().table(sort_by="self_cuda_time_total", row_limit=10))
check(p, 10)

# The process records that for others, too. A range that begins inside empties what
# the device has not done yet.
with torchprof_jit.profile(model) as p:
    run(5)
    with torchprof_jit.profile(threads="current") as inner:
        run(3)
    run(2)
check(p, 10)
check(inner, 3)

# The first profile decides for the process.
try:
    torchprof_jit.profile(model, profile_memory=True)
except RuntimeError as error:
    assert "profile_memory=True" in str(error), error
else:
    raise AssertionError("memory was recorded after all")
torchprof_jit.profile(model, device=True)
torchprof_jit.profile(model, activities=["cpu"])
assert not torchprof_jit._devices.wants_one("cpu")
assert torchprof_jit._devices.wants_one("cuda")

# If the wait is interrupted, the range has ended all the same.
p = torchprof_jit.profile(model)
try:
    with mock.patch.object(torch.privateuseone, "synchronize",
                           side_effect=KeyboardInterrupt), p:
        run(1)
except KeyboardInterrupt:
    pass
before = torch.ops.torchprof.stats()["begins"]
run(1)
assert torch.ops.torchprof.stats()["begins"] == before
with p:
    run(2)
check(p, 2)

# It waits for each GPU that the process uses, not for the current one only.
waited = set()
with mock.patch.multiple(
        torch.cuda, is_initialized=lambda: True, device_count=lambda: 3,
        synchronize=lambda device=None: waited.add(device)), mock.patch.object(
        torch._C, "_cuda_hasPrimaryContext", lambda index: index != 1,
        create=True):
    with torchprof_jit.profile(model, device=True):
        pass
assert waited == {None, 0, 2}, waited


# It does not ask for those that the process has not begun to use: children that are
# forked later could not use them.
def ask(*_):
    raise AssertionError("a device was asked for")


unused = {"is_initialized": lambda: False, "is_available": ask, "synchronize": ask}
with mock.patch.multiple(torch.cuda, **unused), mock.patch.object(
        torch, "xpu", types.SimpleNamespace(**unused), create=True):
    with torchprof_jit.profile(model, device=True):
        pass
