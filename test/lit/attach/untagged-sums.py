"""Sums without a site, of which a chain has more paths than could ever be followed."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_EXCLUDE=aten::add %python -W ignore %s
# RUN: torchprof-report summary %t.tprof | FileCheck %s --implicit-check-not='{{^}}aten::add'
# UNSUPPORTED: asan, tsan
# CHECK: method forward 3
# CHECK: aten::relu relu 3

import torch


class Doubled(torch.nn.Module):
    def forward(self, x):
        for _ in range(60):
            x = x + x
        return torch.relu(x)


model = torch.jit.trace(Doubled(), torch.ones(2), check_trace=False)
with torch.no_grad():
    for _ in range(3):
        model(torch.ones(2))
