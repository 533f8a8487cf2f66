"""What tensors take on a device, per node: as torch.profiler counts it, which
records at the same time, also for gradients and for a device whose library comes
late; and a process that uses none has no such column."""
# RUN: rm -rf %t && mkdir %t
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/p.tprof \
# RUN:   TORCHPROF_RECORD=memory %python -W ignore %s %source %build
# RUN: torchprof-report check %t/p.tprof
# RUN: torchprof-report summary %t/p.tprof.cpu | FileCheck %s --check-prefix=CPU
# CPU: kind name module calls {{.*}} alloc net peak allocs{{$}}
# RUN: torchprof-report summary %t/p.tprof --limit=0 | FileCheck %s
# CHECK: kind name module calls {{.*}} alloc net peak allocs device alloc device net device peak{{$}}
# CHECK-DAG: method forward {{.*}} 23.4 KiB 7.8 KiB 7.8 KiB{{$}}
# CHECK-DAG: fakedev::busy {{.*}} inner 2 {{.*}} 7.8 KiB {{.*}} 3.9 KiB{{$}}
# CHECK-DAG: aten::relu {{.*}} 2 {{.*}} 7.8 KiB {{.*}} 3.9 KiB{{$}}
# RUN: torchprof-report summary %t/p.tprof --style=torch \
# RUN:   --sort=self_cuda_memory_usage | FileCheck %s --check-prefix=TORCH
# UNSUPPORTED: asan, tsan
# TORCH: Name {{.*}} CPU Mem Self CPU Mem Device Mem Self Device Mem # of Calls
# TORCH-NEXT: ---
# TORCH-NEXT: aten::relu {{.*}} 7.8 KiB 7.8 KiB 2
# TORCH-NEXT: forward {{.*}} 7.8 KiB 0 B 2
# TORCH-NEXT: fakedev::busy {{.*}} 0 B 0 B 4

import json
import os
import subprocess
import sys

import torch

source, build = sys.argv[1:]
sys.path.insert(0, source + "/test/fake-device")
import fake_device

torch.set_num_threads(1)


def snapshot(name):
    path = os.environ["TORCHPROF_FILE"] + "." + name
    assert torch.ops.torchprof.snapshot(path) == 0
    return path


# No device yet.
linear = torch.jit.script(torch.nn.Linear(4, 4).eval())
with torch.no_grad():
    for _ in range(3):
        linear(torch.ones(2, 4))
snapshot("cpu")

device = fake_device.load(build)
torch.ops.fakedev.be_accelerator()


def profiled(body):
    """Blocks and bytes that torch.profiler sees come on the device, and bytes
    that it sees go, while body runs."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities,
                                profile_memory=True) as profiler:
        body()
    sizes = [event.nbytes() for event in profiler.profiler.kineto_results.events()
             if event.name() == "[memory]"
             and "CPU" not in str(event.device_type())]
    return (sum(size > 0 for size in sizes),
            sum(size for size in sizes if size > 0),
            -sum(size for size in sizes if size < 0))


def recorded(name, kind):
    output = subprocess.run(
        ["torchprof-report", "summary", snapshot(name), "--limit=0",
         "--format=json",
         "--columns=kind,device_allocs,device_alloc_bytes,device_freed_bytes"],
        check=True, stdout=subprocess.PIPE, universal_newlines=True)
    rows = [row for row in json.loads(output.stdout)["rows"]
            if row["kind"] == kind]
    return tuple(sum(row[column] or 0 for row in rows)
                 for column in ("device_allocs", "device_alloc_bytes",
                                "device_freed_bytes"))


plain, model = fake_device.Stacked(), torch.jit.script(fake_device.Stacked())
x = torch.ones(1000).to(device)
with torch.no_grad():
    for _ in range(3):  # LibTorch's plan is made
        assert torch.equal(model(x).cpu(), plain(x).cpu())
    torch.ops.torchprof.reset()
    results = []
    seen = profiled(lambda: results.append(model(x)))
    assert seen == (3, 12000, 8000), seen
    assert recorded("forward", "method") == seen, recorded("forward", "method")

# Gradients; relu has none on this device.
class Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = fake_device.Inner()

    def forward(self, x):
        return torch.ops.fakedev.busy(self.inner(x), 1000)


trained = torch.jit.script(Trained())
leaf, ones = torch.ones(1000).to(device).requires_grad_(), torch.ones(1000).to(device)
for _ in range(3):
    leaf.grad = None
    trained(leaf).backward(ones)
leaf.grad = None
result = trained(leaf)
torch.ops.torchprof.reset()
seen = profiled(lambda: result.backward(ones))
assert seen == (2, 8000, 4000), seen
assert recorded("backward", "backward") == seen, recorded("backward", "backward")

torch.ops.torchprof.reset()
with torch.no_grad():
    for _ in range(2):
        model(x)
