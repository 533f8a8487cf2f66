"""Operators that a host registers and lets go again, one after the other, keep their
own rows inside of one node, although LibTorch puts the name of the next one where the
last one's was."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=ops %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --ops --limit=0 --columns=kind,calls --group-by=kind | FileCheck %s
# UNSUPPORTED: asan, tsan
# CHECK-DAG: gone::outer 20
# CHECK-DAG: gone_0::inner 2
# CHECK-DAG: gone_1::inner 2
# CHECK-DAG: gone_2::inner 2
# CHECK-DAG: gone_3::inner 2
# CHECK-DAG: gone_4::inner 2
# CHECK-DAG: gone_5::inner 2
# CHECK-DAG: gone_6::inner 2
# CHECK-DAG: gone_7::inner 2
# CHECK-DAG: gone_8::inner 2
# CHECK-DAG: gone_9::inner 2

import gc

import torch

CALLED = ["none"]


def called(x):
    """The operator that is registered now: by name, so that no handle stays."""
    overload = torch._C._jit_get_operation(CALLED[0])
    return (overload[0] if isinstance(overload, tuple) else overload)(x)


outer = torch.library.Library("gone", "DEF")
outer.define("outer(Tensor x) -> Tensor")
outer.impl("outer", called, "CPU")
graph = torch._C.parse_ir("""
graph(%x : Tensor):
  %y : Tensor = gone::outer(%x)
  return (%y)
""")
model = torch._C._create_function_from_graph("forward", graph)
x = torch.rand(2)
with torch.no_grad():
    for number in range(10):
        inner = torch.library.Library("gone_%d" % number, "DEF")
        CALLED[0] = "gone_%d::inner" % number
        inner.define("inner(Tensor x) -> Tensor")
        inner.impl("inner", lambda x: x.clone(), "CPU")
        for _ in range(2):
            model(x)
        del inner
        gc.collect()
