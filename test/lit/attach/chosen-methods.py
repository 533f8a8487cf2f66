"""Which methods of an instrumented model have sites was chosen when it was instrumented.
An attached process does not make a second model of the others, and says so once if it
was asked for other sites."""
# RUN: rm -rf %t && mkdir %t && %python -W ignore %s save %t/model.pt
# RUN: torchprof-opt --quiet --instrument --methods=forward %t/model.pt -o %t/probed.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/p.tprof \
# RUN:   %python -W ignore %s run %t/probed.pt
# RUN: torchprof-report check %t/p.tprof | FileCheck %s
# CHECK: {{^}}model
# CHECK-NOT: {{^}}model
# RUN: torchprof-report summary %t/p.tprof --format=csv --columns=kind,name,calls --limit=0 \
# RUN:   | sort | FileCheck %s --check-prefix=CALLS
# CALLS: aten::sigmoid,sigmoid,3
# CALLS-NEXT: aten::tanh,tanh,3
# CALLS-NEXT: kind,name,calls
# CALLS-NEXT: method,forward,3
# CALLS-NOT: {{.}}

# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/other.tprof \
# RUN:   TORCHPROF_METHODS=feats TORCHPROF_EXCLUDE=aten::tanh %python -W ignore %s run %t/probed.pt 2>&1 \
# RUN:   | FileCheck %s --check-prefix=OTHER
# OTHER: torchprof: warning: an instrumented model keeps the sites that torchprof-opt gave it, whatever the process is asked for: --exclude, --methods{{$}}
# OTHER-NOT: torchprof
# RUN: torchprof-report summary %t/other.tprof --format=csv --columns=kind,name,calls --limit=0 \
# RUN:   | sort | FileCheck %s --check-prefix=CALLS
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/same.tprof \
# RUN:   TORCHPROF_METHODS=forward %python -W ignore %s run %t/probed.pt 2>&1 | count 0
# UNSUPPORTED: asan, tsan

import sys

import torch


class Model(torch.nn.Module):
    @torch.jit.export
    def feats(self, x):
        return torch.tanh(x)

    def forward(self, x):
        return torch.sigmoid(self.feats(x))


what, path = sys.argv[1:]
if what == "save":
    torch.jit.script(Model()).save(path)
else:
    model = torch.jit.load(path)
    for _ in range(3):
        model.feats(model(torch.ones(4)))
