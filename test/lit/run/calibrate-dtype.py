"""The machine is measured with floats, whatever the host makes tensors of."""
# RUN: %python -W ignore %s %build/lib/libtorchprof_runtime.so | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK: {{^}}torch.float32{{$}}
# CHECK-NOT: {{.}}

import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode

torch.ops.load_library(sys.argv[1])
seen = set()


class Watch(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        seen.update(t.dtype for t in (*args, result) if isinstance(t, torch.Tensor))
        return result


torch.set_default_dtype(torch.float64)
with Watch():
    torch.ops.torchprof.calibrate(0.01)
print(*seen)
