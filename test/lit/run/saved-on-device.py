"""The time of the device on which a model was saved is recorded: torchprof-run looks
for that in the archive, before it loads the model."""
# LibTorch 1.13 does not load tensors of a device that it does not know.
# UNSUPPORTED: torch-1.13, asan, tsan
# RUN: rm -rf %t && mkdir %t && %python %s %source %build %t
# RUN: torchprof-run %t/there.pt --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --input 'float[2]' --runs 5 -o %t/there.tprof --quiet
# RUN: torchprof-report summary %t/there.tprof --columns=kind,calls,device_calls,device_ns \
# RUN:   | FileCheck %s
# CHECK: fakedev::busy 5 5 2{{[.0-9]*}} ms
# CHECK: Device {{.*}} 5 runs

# Where the model is frozen its tensors are constants of the code: so it is there.
# RUN: torchprof-run %t/frozen.pt --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --input 'float[2]' --runs 5 -o %t/frozen.tprof --quiet
# RUN: torchprof-report summary %t/frozen.tprof --columns=kind,calls,device_calls,device_ns \
# RUN:   | FileCheck %s

# A model of the CPU has no such columns.
# RUN: torchprof-run %t/cpu.pt --input 'float[2]' --runs 5 -o %t/cpu.tprof --quiet
# RUN: torchprof-report summary %t/cpu.tprof | FileCheck %s --check-prefix=CPU
# CPU-NOT: {{[Dd]evice}}

import os
import sys
import zipfile

import torch

sys.path.insert(0, sys.argv[1] + "/test/fake-device")
import fake_device

fake_device.load(sys.argv[2])


class There(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(2))

    def forward(self, x):
        assert not x.is_cpu and not self.weight.is_cpu
        return torch.ops.fakedev.busy(x, 5000000)


class Frozen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(2))

    def forward(self, x):
        assert not x.is_cpu
        return torch.ops.fakedev.busy(x, 5000000), self.weight


def pickled(text):
    return b"X" + len(text).to_bytes(4, "little") + text


def move_to_device(source, target):
    """The fake device lacks what saving from it needs: changes the name in the pickle."""
    found = 0
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith(("/data.pkl", "/constants.pkl")):
                found += data.count(pickled(b"cpu"))
                data = data.replace(pickled(b"cpu"), pickled(b"privateuseone:0"))
            new.writestr(name, data)
    assert found == 1


folder = sys.argv[3]
torch.jit.script(torch.nn.Linear(2, 2).eval()).save(os.path.join(folder, "cpu.pt"))
torch.jit.script(There().eval()).save(os.path.join(folder, "on-cpu.pt"))
move_to_device(os.path.join(folder, "on-cpu.pt"), os.path.join(folder, "there.pt"))
frozen = torch.jit.freeze(torch.jit.script(Frozen().eval()))
frozen.save(os.path.join(folder, "frozen-on-cpu.pt"))
move_to_device(os.path.join(folder, "frozen-on-cpu.pt"), os.path.join(folder, "frozen.pt"))
