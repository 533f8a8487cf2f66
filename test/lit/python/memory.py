"""profile_memory=True measures what tensors take; the first profile decides, or an
instrumented model that ran before, and another word of the environment stays."""
# RUN: %python -u -W ignore %s first 2>&1 | FileCheck %s
# RUN: %python -u -W ignore %s late 2>&1 | FileCheck --check-prefix=LATE %s
# RUN: %python -u -W ignore %s warm 2>&1 | FileCheck --check-prefix=LATE %s
# RUN: %python -u -W ignore %s failed 2>&1 | FileCheck --check-prefix=LATE --implicit-check-not=made --implicit-check-not=decided %s
# RUN: env TORCHPROF_RECORD=memory %python -u -W ignore %s late 2>&1 | FileCheck %s
# RUN: env TORCHPROF_RECORD=cpu %python -u -W ignore %s first 2>&1 | FileCheck %s --check-prefixes=CHECK,CPU
# RUN: env "TORCHPROF_RECORD=cpu, memory" %python -u -W ignore %s late 2>&1 | FileCheck %s --check-prefixes=CHECK,CPU

# A list with a word that the runtime does not know is none; its page has those it knows.
# RUN: env TORCHPROF_RECORD=memorry %python -u -W ignore %s first 2>&1 | FileCheck %s
# RUN: env TORCHPROF_RECORD=memory,tme %python -u -W ignore %s first 2>&1 | FileCheck %s
# RUN: %python -c "import torchprof_jit._options as o; print('| none | ' + o.RECORD + ' |')" > %t.known
# RUN: grep -F -f %t.known %source/docs/runtime-options.md

import errno
import sys

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


x = torch.rand(1000, 1000)
if sys.argv[1] == "late":
    torchprof_jit.profile(Model())(x)
elif sys.argv[1] == "warm":
    torchprof_jit.instrument(Model())(x)
elif sys.argv[1] == "failed":
    # A profile that could not be made has decided nothing.
    class NotScript(torch.nn.Module):
        def forward(self, x):
            return unknown(x)

    for module, options in ((3, {}), (NotScript(), {}), (Model(), {"typo": 1})):
        try:
            torchprof_jit.profile(module, profile_memory=True, trace=True,
                                  operators=True, **options)
            print("made")
        except (TypeError, RuntimeError):
            pass
    p = torchprof_jit.profile(Model())
    p(x)
    assert "alloc_bytes" not in p.rows()[0], p.rows()
    try:
        torchprof_jit.profile(trace=True)
        print("decided")
    except RuntimeError:
        pass
try:
    p = torchprof_jit.profile(Model(), profile_memory=True)
except RuntimeError as error:
    print(error)
    # LATE: profile_memory=True: this process has recorded without it already; make the first profile with it, before an instrumented model runs, or set TORCHPROF_RECORD=memory
else:
    torchprof_jit.profile(Model(), profile_memory=True)  # again is no mistake
    p(x)
    print(p.summary(style="torch", sort_by="self_cpu_memory_usage"))
    # CHECK: Name {{.*}} CPU Mem Self CPU Mem # of Calls
    # CHECK: aten::{{relu|add}} {{.*}} 3.8 MiB 3.8 MiB 1
    print(p.summary())
    # CPU: mean % total cpu wait alloc net peak allocs


# Where the runtime does not know the word, it is not too late for it.
class Older:
    set_option = staticmethod(lambda option, value: errno.EINVAL)


try:
    torchprof_jit._options.decide(Older, "tea=True", "record", "tea")
except RuntimeError as error:
    print(error)
# CHECK: tea=True: the runtime refuses record={{.*}}tea: Invalid argument
