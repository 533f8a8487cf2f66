"""A fused kernel is one row that names its nodes and their layers; its time can be
split over them by what they took before."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --columns=kind,module,calls | FileCheck %s
# RUN: torchprof-report merge %t.tprof %t.tprof -o %t.merged.tprof
# RUN: torchprof-report summary %t.merged.tprof | FileCheck %s --check-prefix=MERGED
# RUN: torchprof-report summary %t.tprof --split-fused \
# RUN:   --columns=kind,module,calls,total_ns,p50_ns | FileCheck %s --check-prefix=SPLIT
# RUN: torchprof-report summary %t.tprof --format=json > %t.json
# RUN: torchprof-report summary %t.tprof --format=json --split-fused > %t.split.json
# RUN: %python %s %t.json %t.split.json
# A kernel that falls back to its nodes is timed as the kernel that it is.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.back.tprof \
# RUN:   PYTORCH_TENSOREXPR_FALLBACK=2 %python -W ignore %s
# RUN: torchprof-report summary %t.back.tprof --columns=kind,module,calls | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK-DAG: aten::mul scale 12
# CHECK-DAG: aten::add 1
# CHECK-DAG: aten::tanh act 1
# CHECK: aten::mul mul in scale measures the fused kernel of aten::mul mul in scale, aten::add y, aten::tanh tanh in act, aten::mul mul_1
# MERGED: aten::mul mul in scale measures the fused kernel of aten::mul mul in scale, aten::add y, aten::tanh tanh in act, aten::mul mul_1
# SPLIT-DAG: aten::mul scale 12~ {{.*}}~ -{{$}}
# SPLIT-DAG: aten::tanh act 12~ {{.*}}~ -{{$}}
# SPLIT: ~ estimated: fused kernels are split by what their nodes took before they were fused

import json
import sys

if sys.argv[1:]:
    tables = []
    for path in sys.argv[1:]:
        with open(path) as file:
            tables.append(json.load(file))
    plain, split = tables
    # Nothing comes or goes: the whole is what was measured.
    for key in ("sum_of_nodes_ns", "total_ns", "unattributed_ns"):
        assert abs(plain["footer"][key] - split["footer"][key]) < 1, key
    assert split["footer"]["unfinished"] == 0

    def times(table):
        return {(row["kind"], row["name"]): row["self_ns"]
                for row in table["rows"] if row["kind"].startswith("aten::")}

    before, after = times(plain), times(split)
    assert len(before) == len(after) == 4
    leader = ("aten::mul", "mul")
    assert after[leader] < before[leader]
    # What each took by itself in the first run says how the others share.
    others = [key for key in before if key != leader]
    given = {key: after[key] - before[key] for key in others}
    for key in others:
        share = given[key] / sum(given.values())
        alone = before[key] / sum(before[other] for other in others)
        assert abs(share - alone) < 0.01, (key, share, alone)
    sys.exit()

import torch

# What evaluates kernels where LibTorch was built without LLVM.
torch._C._jit_set_texpr_fuser_enabled(True)
torch._C._jit_override_can_fuse_on_cpu(True)
torch._C._jit_set_te_must_use_llvm_cpu(False)


class Scale(torch.nn.Module):
    def forward(self, x):
        return x * 2.5


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = Scale()
        self.act = torch.nn.Tanh()

    def forward(self, x):
        y = self.scale(x) + x
        return self.act(y) * y


net = torch.jit.script(Net().eval())
with torch.no_grad():
    for _ in range(12):
        net(torch.rand(4, 4))
