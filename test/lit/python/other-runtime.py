"""A process that has loaded another installation's runtime already goes on with that
one, or says that it is gone."""
# RUN: rm -rf %t && mkdir %t
# RUN: cp %build/lib/libtorchprof_attach.so %build/lib/libtorchprof_runtime.so %t
# RUN: %python -u -W ignore %s %t stays | FileCheck %s
# RUN: %python -u -W ignore %s %t goes | FileCheck %s --check-prefix=GONE
# UNSUPPORTED: asan, tsan

import os
import sys

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


folder, what = sys.argv[1:]
runtime = os.path.join(os.path.realpath(folder), "libtorchprof_runtime.so")
torch.ops.load_library(runtime)
if what == "goes":
    os.unlink(runtime)
model = torch.jit.script(Model())
try:
    p = torchprof_jit.profile(model)
except torchprof_jit.ToolError as error:
    print(error)
    sys.exit()
p(torch.ones(4))
print("calls", sorted((row["kind"], row["calls"]) for row in p.rows()))
# CHECK: calls [('aten::relu', 1), ('method', 1)]
# GONE: {{.*}}/libtorchprof_runtime.so: this process has loaded it, and it was removed or replaced since

with open("/proc/self/maps") as maps:
    print({line.split()[-1] for line in maps
           if "libtorchprof_runtime.so" in line} == {runtime})
# CHECK-NEXT: True
