"""An instrumented model that forks and is frozen in an attached process has no original to
run; its probes become tags, in what it forks too, and the forks capture no sites."""
# RUN: rm -rf %t && mkdir %t && %python -W ignore %s make %t/model.pt
# RUN: torchprof-opt --quiet --instrument %t/model.pt -o %t/probed.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/p.tprof \
# RUN:   %python -W ignore %s run %t/probed.pt %runtime | FileCheck %s
# CHECK-NOT: torchprof::
# CHECK: prim::fork{{[_0-9]*}}(%{{[a-z0-9.]+}})
# CHECK-NOT: torchprof::
# CHECK: aten::tanh
# CHECK-NOT: torchprof::
# RUN: torchprof-report summary %t/p.tprof --format=csv --columns=kind,calls --limit=0 \
# RUN:   | FileCheck %s --check-prefix=CALLS
# CALLS-DAG: method,3
# CALLS-DAG: prim::fork,3
# CALLS-DAG: aten::tanh,3
# CALLS-DAG: aten::tanh,3
# CALLS-DAG: aten::add,3
# UNSUPPORTED: asan, tsan

import sys

import torch

from Inputs import forks


def twice(x: torch.Tensor):
    return torch.tanh(torch.tanh(x))


class Model(torch.nn.Module):
    def forward(self, x):
        both = torch.jit.fork(twice, x)
        return torch.sigmoid(x) + torch.jit.wait(both)


def main(what, path, runtime=None):
    if what == "make":
        torch.jit.script(Model()).save(path)
        return
    torch.ops.load_library(runtime)
    model = torch.jit.freeze(torch.jit.load(path).eval())
    with torch.no_grad():
        for _ in range(3):
            model(torch.ones(4))
    print(torch._C._last_executed_optimized_graph())
    forks.rest()


main(*sys.argv[1:])
