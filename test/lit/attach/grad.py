"""Under grad every node has its time: operators that LibTorch differentiates by
scripts of its own lose their nodes, and the scripts' count for them."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report summary %t.tprof --sort=calls | FileCheck %s
# RUN: %python -W ignore %s %t.pt && torchprof-opt --quiet --instrument %t.pt -o %t.instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.2.tprof \
# RUN:   %python -W ignore %s %t.instr.pt
# RUN: torchprof-report summary %t.2.tprof --sort=calls | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK-DAG: aten::layer_norm {{.*}} norm 10
# CHECK-DAG: aten::layer_norm {{.*}} again 10
# CHECK-DAG: aten::linear {{.*}} linear 10
# CHECK-DAG: aten::dropout {{.*}} drop 10
# CHECK-DAG: aten::relu {{.*}} 10
# CHECK-DAG: aten::adaptive_avg_pool1d {{.*}} 10
# CHECK-DAG: aten::sigmoid {{.*}} 10
# CHECK-DAG: method forward 10

# A script that calls the operator it replaces, as that of cat does: LibTorch keeps
# one of both nodes, with what else is in the script behind it.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.3.tprof \
# RUN:   %python -W ignore %S/Inputs/pools.py
# RUN: torchprof-report summary %t.3.tprof --format=csv --limit=0 --columns=kind,module,calls \
# RUN:   | FileCheck %s --check-prefix=POOLS
# POOLS-DAG: aten::avg_pool2d,0,10{{$}}
# POOLS-DAG: aten::avg_pool2d,1,10{{$}}
# POOLS-DAG: aten::avg_pool2d,2,10{{$}}
# POOLS-DAG: aten::cat,0,10{{$}}
# POOLS-DAG: aten::cat,1,10{{$}}
# POOLS-DAG: aten::cat,2,10{{$}}

import os
import sys

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.again = nn.LayerNorm(8)
        self.linear = nn.Linear(8, 8)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        x = self.again(self.norm(x))
        x = self.drop(torch.relu(self.linear(x)))
        x = nn.functional.adaptive_avg_pool1d(x, 4)
        return torch.sigmoid(x)


torch.manual_seed(0)
model = torch.jit.script(Model())
if len(sys.argv) > 1:
    if not os.path.exists(sys.argv[1]):
        model.save(sys.argv[1])
        sys.exit()
    model = torch.jit.load(sys.argv[1])
for _ in range(10):
    model(torch.rand(2, 3, 8)).sum().backward()
