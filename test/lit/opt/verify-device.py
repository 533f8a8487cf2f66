"""On a device --verify compares half of the digits: kernels need not repeat themselves
there. The model stands for one whose kernels do not."""
# RUN: rm -rf %t && mkdir %t && %python %s %source %build %t/unsteady.pt
# RUN: torchprof-opt --instrument %t/unsteady.pt -o %t/out.pt \
# RUN:   --load %build/lib/libtorchprof-fake-device.so --map-device=privateuseone \
# RUN:   --verify --input 'float[4]' | FileCheck %s
# CHECK: verified 1 call{{$}}

# On the CPU all bits count.
# RUN: rm %t/out.pt
# RUN: %python %S/../Inputs/exits.py 1 torchprof-opt --instrument %t/unsteady.pt \
# RUN:   -o %t/out.pt --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --verify --input 'float[4]' 2>&1 | FileCheck %s --check-prefix=CPU
# CPU: unsteady.pt: forward: call 1: output, element 0: expected
# RUN: not ls %t/out.pt
# UNSUPPORTED: asan, tsan

import sys

import torch

sys.path.insert(0, sys.argv[1] + "/test/fake-device")
import fake_device

fake_device.load(sys.argv[2])


class Unsteady(torch.nn.Module):
    """Rounds in another way in every other call in a process."""

    def forward(self, x):
        enabled = torch.is_grad_enabled()
        torch.set_grad_enabled(not enabled)
        y = torch.ops.fakedev.busy(x, 1).cpu()
        return y * (1.000001 if enabled else 1.0)


torch.jit.script(Unsteady().eval()).save(sys.argv[3])
