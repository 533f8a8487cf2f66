"""trace=True keeps each span; it is decided once for a process."""
# RUN: rm -rf %t && mkdir %t
# RUN: %python -u -W ignore %s first %t 2>&1 | FileCheck %s
# RUN: %python -u -W ignore %s late %t 2>&1 | FileCheck --check-prefix=LATE %s
# RUN: env TORCHPROF_MODE=trace %python -u -W ignore %s late %t 2>&1 \
# RUN:   | FileCheck %s

import gzip
import json
import os
import sys

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


when, folder = sys.argv[1:]
x = torch.rand(4)
if when == "late":
    torchprof_jit.profile(Model())(x)
try:
    p = torchprof_jit.profile(Model(), trace=True)
except RuntimeError as error:
    print(error)
    # LATE: trace=True: this process has recorded without it already; make the first profile with it, before an instrumented model runs, or set TORCHPROF_MODE=trace
else:
    torchprof_jit.profile(Model(), trace=True)  # again is no mistake
    for _ in range(3):
        p(x)
    # torch.profiler's handler finds what it calls.
    for use_gzip in (False, True):
        torch.profiler.tensorboard_trace_handler(
            os.path.join(folder, "traces"), use_gzip=use_gzip)(p)
    for name in sorted(os.listdir(os.path.join(folder, "traces"))):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(os.path.join(folder, "traces", name)) as file:
            names = [event["name"] for event in json.load(file)["traceEvents"]]
        assert names.count("aten::relu") == 3, (name, names)
        print(name.partition(".pt")[2])
    # CHECK: .trace.json
    # CHECK-NEXT: .trace.json.gz

    def spans(p):
        path = os.path.join(folder, "trace.json")
        p.export("chrome", path)
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        return sum(event["name"] == "aten::relu" for event in events)

    print(spans(p), "spans of relu")
    # CHECK: 3 spans of relu
    for threads in ("all", "current"):
        outer = torchprof_jit.profile(threads=threads)
        inner = torchprof_jit.profile(threads=threads)
        with outer:
            p.module(x)
            with inner:
                p.module(x)
            p.module(x)
        print(spans(outer), "spans around", spans(inner))
    # CHECK-NEXT: 3 spans around 1
    # CHECK-NEXT: 3 spans around 1
