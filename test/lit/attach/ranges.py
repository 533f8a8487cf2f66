"""Other tools are told of each node: NVTX and ITT by ranges that nest as nodes do,
perf and its like by probes in the library."""
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_ANNOTATE=nvtx RANGES=%t.nvtx %python -W ignore %s %build
# RUN: FileCheck %s --check-prefix=NVTX --input-file=%t.nvtx --strict-whitespace
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_ANNOTATE=itt,usdt TORCHPROF_RECORD=memory,labels \
# RUN:   RANGES=%t.itt %python -W ignore %s %build
# RUN: FileCheck %s --check-prefix=ITT --input-file=%t.itt --strict-whitespace
# RUN: rm -f %t.none && env LD_PRELOAD=%build/lib/libtorchprof_preload.so \
# RUN:   TORCHPROF_FILE=%t.tprof RANGES=%t.none %python -W ignore %s %build
# RUN: test ! -e %t.none
# RUN: readelf --notes %build/lib/libtorchprof_runtime.so | FileCheck %s --check-prefix=NOTES
# UNSUPPORTED: asan, tsan
# NVTX:{{^}}nvtx Net.forward{{$}}
# NVTX-NEXT:nvtx   prim::If{{$}}
# NVTX-NEXT:nvtx     aten::mul inner{{$}}
# NVTX-NEXT:nvtx     end
# NVTX-NEXT:nvtx   end
# NVTX-NEXT:nvtx   prim::If{{$}}
# NVTX-NEXT:nvtx   end
# NVTX-NEXT:nvtx   aten::relu{{$}}
# NVTX-NEXT:nvtx   end
# NVTX-NEXT:nvtx end
# The second run, in a label; the third, which an exception ends; the fourth.
# ITT:{{^}}itt step
# ITT-NEXT:itt   Net.forward
# ITT:itt     aten::relu
# ITT-NEXT:itt     end
# ITT-NEXT:itt   end
# ITT-NEXT:itt end
# ITT-NEXT:itt step
# ITT-NEXT:itt   Net.forward
# ITT:itt       aten::view
# ITT-NEXT:itt       end
# ITT-NEXT:itt     end
# ITT-NEXT:itt   end
# ITT-NEXT:itt end
# ITT-NEXT:itt step
# ITT-NEXT:itt   Net.forward
# NOTES-DAG: Name: node_begin
# NOTES-DAG: Name: node_end

import ctypes
import sys

# Before torch's wheel loads the real one, if it has it.
ctypes.CDLL(sys.argv[1] + "/lib/libtorchprof-nvtx.so", ctypes.RTLD_GLOBAL)

import torch

ctypes.CDLL(sys.argv[1] + "/lib/libtorchprof-itt.so")


class Inner(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, fails: bool):
        if x.dim() > 0:
            x = self.inner(x)
        if fails:
            x = x.view(7)
        return x.relu()


net = torch.jit.script(Net().eval())
with torch.no_grad():
    for fails in (False, False, True, False):
        try:
            with torch.autograd.profiler.record_function("step"):
                net(torch.ones(2), fails)
        except RuntimeError:
            assert fails
