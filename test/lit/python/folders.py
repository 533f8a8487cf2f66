"""No temporary folder stays behind: not of a profile that is gone, not of a process
that has ended, and not of a worker, which ends without atexit. What a program does at
exit still sees results."""
# RUN: rm -rf %t && mkdir %t
# RUN: env TMPDIR=%t %python -W ignore %s %t | FileCheck %s
# RUN: ls %t | count 0

import atexit
import gc
import multiprocessing
import os
import sys
import weakref

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def record():
    p = torchprof_jit.profile(Model())
    p(torch.rand(8))
    print(len(p.runs()), "run,", len(os.listdir(sys.argv[1])), "folders",
          flush=True)
    return p


@atexit.register
def report_at_exit():  # before the first range, so that it runs late
    print("at exit", len(kept.runs()))


worker = multiprocessing.get_context("fork").Process(target=record)
worker.start()
worker.join()
print("after the worker", os.listdir(sys.argv[1]))
# CHECK: 1 run, 2 folders
# CHECK-NEXT: after the worker []

gone = weakref.ref(record())
gc.collect()
print("gone", gone() is None, len(os.listdir(sys.argv[1])))
kept = record()
print("kept", len(os.listdir(sys.argv[1])))
# CHECK-NEXT: 1 run, 2 folders
# CHECK-NEXT: gone True 1
# CHECK-NEXT: 1 run, 2 folders
# CHECK-NEXT: kept 2
# CHECK-NEXT: at exit 1
