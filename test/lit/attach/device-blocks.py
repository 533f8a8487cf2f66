"""Whose blocks fill a device, and whose stay there from run to run; the peak of each
run on it, and a track in traces."""
# RUN: rm -rf %t && mkdir %t
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/p.tprof \
# RUN:   TORCHPROF_RECORD=blocks TORCHPROF_MODE=trace %python -W ignore %s %source %build
# RUN: torchprof-report check %t/p.tprof.kept
# RUN: torchprof-report memory %t/p.tprof.kept | FileCheck %s
# CHECK: {{^}}alive on devices at the peak
# CHECK-NEXT: node source at the peak % peak now blocks now
# At the peak there are the outputs of 15 runs, and the 16th has two blocks.
# CHECK: fakedev::busy {{.*}} 58.6 KiB 88.24% 62.5 KiB 16
# CHECK-DAG: aten::relu {{.*}} 3.9 KiB 5.88% 0 B 0
# CHECK-DAG: fakedev::busy inner {{.*}} 3.9 KiB 5.88% 0 B 0
# CHECK: Peak 66.4 KiB at fakedev::busy inner
# CHECK: Alive now 62.5 KiB
# CHECK: growing on devices from the end of run 4 to that of 16
# CHECK: fakedev::busy {{.*}} 3.9 KiB 46.9 KiB 62.5 KiB
# RUN: torchprof-report runs %t/p.tprof.kept --last=1 | FileCheck %s --check-prefix=RUNS
# UNSUPPORTED: asan, tsan
# RUNS: memory on devices of the last runs, the newest last
# RUNS: forward {{.*}} 7.8 KiB fakedev::busy {{.*}} 62.5 KiB
# RUN: torchprof-report export --to=chrome %t/p.tprof.kept | FileCheck %s --check-prefix=TRACK
# TRACK: "name":"Device memory of tensors",{{.*}}"args":{"bytes":

import os
import sys

import torch

source, build = sys.argv[1:]
sys.path.insert(0, source + "/test/fake-device")
import fake_device

torch.set_num_threads(1)
device = fake_device.load(build)

model = torch.jit.script(fake_device.Stacked())
x = torch.ones(1000).to(device)
with torch.no_grad():
    for _ in range(3):  # LibTorch's plan is made
        model(x)
    torch.ops.torchprof.reset()
    kept = [model(x) for _ in range(16)]
# While they are kept: what Python frees at its end, and when, is its affair.
assert torch.ops.torchprof.snapshot(os.environ["TORCHPROF_FILE"] + ".kept") == 0
