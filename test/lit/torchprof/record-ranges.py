"""A program that makes ranges takes over the profile that `torchprof record` would
show, and is told of it once."""
# RUN: rm -rf %t && mkdir %t
# RUN: torchprof record --quiet -o %t/p.tprof -- %python -u -W ignore %s 2>&1 | FileCheck %s
# RUN: torchprof-report summary %t/p.tprof --format=csv | FileCheck %s --check-prefix=LEFT
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s --check-prefix=ALONE --implicit-check-not=warning
# RUN: cd %t && env LD_PRELOAD=%build/lib/libtorchprof_preload.so %python -u -W ignore %s 2>&1 | FileCheck %s --check-prefix=UNNAMED
# UNSUPPORTED: asan, tsan

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


model = torch.jit.script(Model())
x = torch.ones(4)
model(x)
model(x)
for _ in range(2):
    with torchprof_jit.profile(model) as p:
        model(x)
    print("runs", len(p.runs()))
model(x)
# CHECK: torchprof: warning: profile() takes over the profile that TORCHPROF_FILE names: a range that begins empties it, and outside of ranges nothing is recorded any more
# CHECK-NEXT: runs 1
# CHECK-NEXT: runs 1
# CHECK-NOT: warning
# UNNAMED: torchprof: warning: profile() takes over the profile that the process records already: a range that begins empties it, and outside of ranges nothing is recorded any more
# UNNAMED-NEXT: runs 1
# UNNAMED-NEXT: runs 1
# UNNAMED-NOT: warning
# LEFT: method,forward,,1,
# ALONE: runs 1
# ALONE-NEXT: runs 1
