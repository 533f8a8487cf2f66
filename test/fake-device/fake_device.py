"""Makes the fake device known to torch in Python: FakeDevice.cpp says what it
is. Its tensors are those of the device "privateuseone"."""

import sys
import types

import torch


class Inner(torch.nn.Module):
    """A layer for which the device works 2 ms, and 4 ms for its gradient."""

    def forward(self, x):
        return torch.ops.fakedev.busy(x, 2000000)


class Stacked(torch.nn.Module):
    """Three nodes, a block of memory each, of which the last is kept."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        x = torch.relu(x)
        return torch.ops.fakedev.busy(self.inner(x), 1000)


def load(build):
    torch.ops.load_library(build + "/lib/libtorchprof-fake-device.so")
    module = types.ModuleType("torch.privateuseone")
    module.is_available = lambda: True
    module.device_count = lambda: 2
    module.current_device = lambda: 0
    module.synchronize = lambda device=None: torch.ops.fakedev.wait()
    sys.modules["torch.privateuseone"] = module
    if hasattr(torch, "_register_device_module"):
        torch._register_device_module("privateuseone", module)
    else:
        torch.privateuseone = module
    return torch.device("privateuseone", 0)
