"""torchprof-run on a device: the model and its inputs are moved there, each run
waits for it, and its time is recorded. A model that was saved there runs there.
The device's library may be one in this folder."""
# RUN: rm -rf %t && mkdir %t && %python %s %source %build %t/net.pt
# RUN: torchprof-run %t/net.pt --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --map-device=privateuseone --input 'float[2]' --input '[float[2]]' \
# RUN:   --input '{"k": float[2]}' --input '(float[2], 3)' --runs 5 -o %t/net.tprof \
# RUN:   | FileCheck %s --check-prefix=RAN
# RUN: torchprof-report summary %t/net.tprof \
# RUN:   --columns=kind,name,calls,device_calls,device_ns | FileCheck %s
# RUN: torchprof-run %t/net.pt.there --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --input 'float[2]' --input '[float[2]]' --input '{"k": float[2]}' \
# RUN:   --input '(float[2], 3)' --runs 5 -o %t/there.tprof \
# RUN:   | FileCheck %s --check-prefix=RAN
# RUN: not torchprof-run %t/net.pt --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --map-device=cuda --input 'float[2]' --input '[float[2]]' \
# RUN:   --input '{"k": float[2]}' --input '(float[2], 3)' -o %t/none.tprof 2>&1 \
# RUN:   | FileCheck %s --check-prefix=NONE
# RUN: not torchprof-run %t/net.pt --load %build/lib/libtorchprof-fake-device.so \
# RUN:   --map-device=toaster --input 'float[2]' -o %t/none.tprof 2>&1 \
# RUN:   | FileCheck %s --check-prefix=WRONG
# RUN: cp %build/lib/libtorchprof-fake-device.so %t/plain.so
# RUN: cd %t && torchprof-run %t/net.pt --load plain.so --map-device=privateuseone \
# RUN:   --input 'float[2]' --input '[float[2]]' --input '{"k": float[2]}' \
# RUN:   --input '(float[2], 3)' --runs 5 -o %t/plain.tprof | FileCheck %s --check-prefix=RAN
# UNSUPPORTED: asan, tsan
# RAN: 5 runs; latency min {{[45][0-9]}}.{{[0-9]+}} ms
# CHECK: fakedev::busy {{.*}}5 5 2{{.*}} ms
# CHECK: Device {{.*}} 5 runs, mean {{[45]}}{{.*}} ms
# NONE: torchprof-run: error: {{.*}}net.pt: {{.*(cuda|CUDA)}}
# WRONG: torchprof-run: error: {{.*}}net.pt: {{.*}}toaster

import sys
from typing import Dict, List, Tuple

import torch

sys.path.insert(0, sys.argv[1] + "/test/fake-device")
import fake_device

fake_device.load(sys.argv[2])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x, more: List[torch.Tensor], named: Dict[str, torch.Tensor],
                pair: Tuple[torch.Tensor, int]):
        # All of them are on the device: there is no such kernel for the CPU.
        for tensor in [x, more[0], named["k"], pair[0], self.weight]:
            assert not tensor.is_cpu
        return torch.ops.fakedev.busy(torch.ops.fakedev.busy(x, 40000000), 5000000)


class There(Net):
    """Lies on the device as soon as it is loaded."""

    def __init__(self):
        super().__init__()
        del self.weight
        self.register_buffer("weight", torch.ones(2))

    @torch.jit.export
    def __getstate__(self):
        return self.weight, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]):
        self.weight = state[0].to("privateuseone")
        self.training = state[1]


torch.jit.script(Net().eval()).save(sys.argv[3])
torch.jit.script(There().eval()).save(sys.argv[3] + ".there")
