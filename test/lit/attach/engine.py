"""What autograd's engine does for a function is time of the function's row, and what
it does between functions has a row of its own."""
# RUN: rm -rf %t && mkdir %t
# RUN: %python -W ignore %s train > %t/alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_RECORD=memory \
# RUN:   TORCHPROF_FILE=%t/hooks.tprof %python -W ignore %s train %t/host > %t/attached
# RUN: diff %t/alone %t/attached
# RUN: torchprof-report summary %t/hooks.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls,freed_bytes \
# RUN:   | FileCheck %s --check-prefixes=CHECK,HOOKS
# RUN: torchprof-report summary %t/hooks.tprof --format=json --limit=0 \
# RUN:   --columns=kind,name,self_ns > %t/rows.json
# RUN: %python %s within %t/rows.json %t/host
# RUN: torchprof-report check %t/hooks.tprof | FileCheck %s --check-prefix=WHOLE
#
# Attached while the process runs.
# RUN: env TORCHPROF_RECORD=memory TORCHPROF_FILE=%t/late.tprof \
# RUN:   %python -W ignore %s train %t/host %build/lib/libtorchprof_attach.so > %t/attached
# RUN: diff %t/alone %t/attached
# RUN: torchprof-report summary %t/late.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls,freed_bytes \
# RUN:   | FileCheck %s --check-prefixes=CHECK,HOOKS
#
# Without hooks, LibTorch tells of the functions alone.
# RUN: %python -W ignore %s save %t/model.pt
# RUN: torchprof-opt --quiet --instrument %t/model.pt -o %t/instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_HOOKS=off \
# RUN:   TORCHPROF_RECORD=memory TORCHPROF_FILE=%t/off.tprof \
# RUN:   %python -W ignore %s load %t/instr.pt > %t/off
# RUN: torchprof-report summary %t/off.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls,freed_bytes \
# RUN:   | FileCheck %s --check-prefixes=CHECK,ALONE --implicit-check-not='(engine)'
# RUN: env LD_LIBRARY_PATH=%torch-lib LD_PRELOAD=%runtime TORCHPROF_RECORD=memory TORCHPROF_FILE=%t/runtime.tprof \
# RUN:   %python -W ignore %s load %t/instr.pt > %t/off
# RUN: torchprof-report summary %t/runtime.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,module,calls,backward_calls,freed_bytes \
# RUN:   | FileCheck %s --check-prefixes=CHECK,ALONE --implicit-check-not='(engine)'
#
# A process that trains without TorchScript is not attached to by that.
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so %python -W ignore %s eager \
# RUN:   | FileCheck %s --check-prefix=EAGER
# UNSUPPORTED: asan, tsan
#
# tanh and sigmoid keep their results, of 4 MiB each, for three backwards.
# CHECK-DAG: aten::tanh,{{[a-z0-9_]+}},,4,3,
# CHECK-DAG: aten::sigmoid,{{[a-z0-9_]+}},,4,3,
# HOOKS-DAG: backward,TanhBackward0{{[^,]*}},,3,,{{1[2-9]|2[0-9]}}{{[0-9]{6}$}}
# ALONE-DAG: backward,TanhBackward0{{[^,]*}},,3,,0{{$}}
# CHECK-DAG: backward,SumBackward0{{[^,]*}},,4,
# CHECK-DAG: backward,AccumulateGrad{{[^,]*}},,3,
# Before each of four functions in three backwards, and of two in another one.
# HOOKS-DAG: backward,(engine){{[^,]*}},,14,,{{$}}
# WHOLE: backwards {{[1-9]}}
# EAGER: attached: False

import hashlib
import json
import sys
import time

if sys.argv[1] == "within":
    rows = json.load(open(sys.argv[2]))["rows"]
    told = [row["self_ns"] for row in rows if row["kind"] == "backward"]
    assert len(told) > 4 and min(told) > 0, rows
    assert sum(told) <= int(open(sys.argv[3]).read()), rows
    sys.exit()

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(torch.tanh(x))


torch._C._jit_set_profiling_executor(False)  # each operator is a function
if sys.argv[1] == "save":
    torch.jit.script(Model()).save(sys.argv[2])
    sys.exit()
if len(sys.argv) > 3:
    torch.ops.load_library(sys.argv[3])
if sys.argv[1] == "load":
    model = torch.jit.load(sys.argv[2])
elif sys.argv[1] == "eager":
    model = Model()
else:
    model = torch.jit.script(Model())

x = torch.linspace(-1, 1, 1 << 20).requires_grad_(True)
waited = 0
for _ in range(3):
    loss = model(x).sum()
    begin = time.perf_counter_ns()
    loss.backward()
    waited += time.perf_counter_ns() - begin
print(hashlib.sha256(x.grad.numpy().tobytes()).hexdigest())
# A gradient that the engine only hands out was not computed.
y = model(x)
twice = (y * 2).sum()
begin = time.perf_counter_ns()
(slope,) = torch.autograd.grad(twice, y)
waited += time.perf_counter_ns() - begin
print(slope.sum().item())
if sys.argv[1] == "train" and len(sys.argv) > 2:
    open(sys.argv[2], "w").write(str(waited))
if sys.argv[1] == "eager":
    print("attached:", "libtorchprof_attach" in open("/proc/self/maps").read())
