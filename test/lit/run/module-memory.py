"""What a module takes at most is the same whether its probes are a pair or one timed
node: there, too, a tensor that nobody outside uses is freed after its last use."""
# RUN: rm -f %t* && %python -W ignore %s %t.pt
# RUN: torchprof-opt --quiet --instrument --granularity=module %t.pt -o %t.instr.pt
# RUN: env TORCHPROF_HOOKS=off TORCHPROF_RECORD=memory torchprof-run %t.instr.pt \
# RUN:   --input 'float[512,512]' --warmup=0 --runs=5 -o %t.on.tprof --quiet
# RUN: env TORCHPROF_HOOKS=off TORCHPROF_RECORD=memory TORCHPROF_LOWER=off torchprof-run \
# RUN:   %t.instr.pt --input 'float[512,512]' --warmup=0 --runs=5 -o %t.off.tprof --quiet
# RUN: torchprof-report check %t.on.tprof | FileCheck %s --check-prefix=LOWERED
# LOWERED: groups 1
# RUN: torchprof-report check %t.off.tprof | FileCheck %s --check-prefix=PAIRS
# PAIRS-NOT: groups

# In text, because malloc may make a block some bytes larger.
# RUN: torchprof-report summary %t.on.tprof --sort=order \
# RUN:   --columns=kind,module,calls,peak_bytes \
# RUN:   | grep -E "^(method|module) .*B$" > %t.on.txt
# RUN: torchprof-report summary %t.off.tprof --sort=order \
# RUN:   --columns=kind,module,calls,peak_bytes \
# RUN:   | grep -E "^(method|module) .*B$" > %t.off.txt
# RUN: diff %t.off.txt %t.on.txt
# RUN: FileCheck %s < %t.on.txt
# CHECK-DAG: method 5 {{.*}} MiB
# CHECK-DAG: module chain 5 {{.*}} MiB
# UNSUPPORTED: asan, tsan

import sys

import torch


class Chain(torch.nn.Module):
    """Each tensor of 1 MiB is needed for the next one alone."""

    def forward(self, x):
        x = torch.cumsum(x, 0)
        x = torch.cumsum(x, 1)
        x = torch.cumsum(x, 0)
        x = torch.cumsum(x, 1)
        x = torch.cumsum(x, 0)
        x = torch.cumsum(x, 1)
        x = torch.cumsum(x, 0)
        return torch.cumsum(x, 1)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.chain = Chain()

    def forward(self, x):
        return self.chain(x)


torch.jit.script(Model()).save(sys.argv[1])
