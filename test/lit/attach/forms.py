"""What a program makes of a loaded model runs attached as it runs alone, and each
call of it is counted."""
# RUN: rm -f %t.tprof %t.pt && %python -W ignore %s %t.pt > %t.first
# RUN: %python -W ignore %s %t.pt > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s %t.pt > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: FileCheck --input-file=%t.alone %s
# RUN: torchprof-report summary %t.tprof --format=csv --columns=kind,name,calls,module --limit=0 \
# RUN:   | FileCheck --check-prefix=CALLS %s
# UNSUPPORTED: asan, tsan

import copy
import hashlib
import io
import os
import sys
import threading

import torch
import torch.nn as nn

from Inputs import forks


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1d(8)

    def forward(self, x):
        return self.norm(torch.relu(self.linear(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Part()
        self.second = Part()

    def forward(self, x):
        later = torch.jit.fork(self.first, x)
        return self.second(x) + torch.jit.wait(later)


def digest(tensors):
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(str(tensor.dtype).encode())
        found.update(tensor.detach().double().numpy().tobytes())
    return found.hexdigest()[:12]


def calls_of(module, dtype=torch.float):
    """Five calls, with what a caller sees of them; or what they raise."""
    seen = []
    try:
        for seed in range(5):
            x = torch.rand(4, 8, dtype=dtype,
                           generator=torch.Generator().manual_seed(seed))
            if torch.is_grad_enabled() and not torch.is_inference_mode_enabled():
                x.requires_grad_()
            y = module(x)
            seen.append(y)
            if y.requires_grad:
                seen.append(torch.autograd.grad(y.double().sum(), x)[0])
    except Exception as error:
        return str(error)
    return digest(seen)


def show(name, value):
    print(name + ":", value, flush=True)


if not os.path.exists(sys.argv[1]):
    torch.manual_seed(0)
    torch.jit.script(Model().eval()).save(sys.argv[1])
model = torch.jit.load(sys.argv[1])
show("loaded", calls_of(model))  # CHECK: loaded: {{[0-9a-f]{12}$}}
show("deep copy", calls_of(copy.deepcopy(model)))
show("shallow copy", calls_of(copy.copy(model)))
# CHECK-NEXT: deep copy: {{[0-9a-f]{12}$}}
# CHECK-NEXT: shallow copy: {{[0-9a-f]{12}$}}

# LibTorch writes a value in another way while a thread of its pool has not yet let
# go of it.
forks.rest()
archive = io.BytesIO()
torch.jit.save(model, archive)
show("saved after a run", hashlib.sha256(archive.getvalue()).hexdigest()[:12])
archive.seek(0)
show("loaded again", calls_of(torch.jit.load(archive)))
# CHECK-NEXT: saved after a run: {{[0-9a-f]{12}$}}
# CHECK-NEXT: loaded again: {{[0-9a-f]{12}$}}

frozen = torch.jit.freeze(model)
show("frozen", calls_of(frozen))
show("code of frozen", hashlib.sha256(frozen.code.encode()).hexdigest()[:12])
# CHECK-NEXT: frozen: {{[0-9a-f]{12}$}}
# CHECK-NEXT: code of frozen: {{[0-9a-f]{12}$}}
with torch.no_grad():
    show("frozen, no grad", calls_of(torch.jit.freeze(torch.jit.load(sys.argv[1]))))
    show("for inference", calls_of(torch.jit.optimize_for_inference(
        torch.jit.load(sys.argv[1]))))
# CHECK-NEXT: frozen, no grad: {{[0-9a-f]{12}$}}
# CHECK-NEXT: for inference: {{[0-9a-f]{12}$}}
with torch.inference_mode():
    show("inference mode", calls_of(torch.jit.load(sys.argv[1])))
# CHECK-NEXT: inference mode: {{[0-9a-f]{12}$}}
with torch.jit.optimized_execution(False):
    show("not optimized", calls_of(torch.jit.load(sys.argv[1])))
# CHECK-NEXT: not optimized: {{[0-9a-f]{12}$}}
with torch.autocast("cpu", dtype=torch.bfloat16):
    show("autocast", calls_of(model))
show("and without", calls_of(model))
# CHECK-NEXT: autocast: {{[0-9a-f]{12}$}}
# CHECK-NEXT: and without: {{[0-9a-f]{12}$}}
show("double", calls_of(torch.jit.load(sys.argv[1]).double(), torch.double))
show("training", calls_of(torch.jit.load(sys.argv[1]).train()))
# CHECK-NEXT: double: {{[0-9a-f]{12}$}}
# CHECK-NEXT: training: {{[0-9a-f]{12}$}}
show("traced", calls_of(torch.jit.trace(torch.jit.load(sys.argv[1]).second,
                                        torch.rand(4, 8))))
show("part alone", calls_of(torch.jit.load(sys.argv[1]).second))
# CHECK-NEXT: traced: {{[0-9a-f]{12}$}}
# CHECK-NEXT: part alone: {{[0-9a-f]{12}$}}

torch.package.package_exporter._gate_torchscript_serialization = False
package = io.BytesIO()
with torch.package.PackageExporter(package) as exporter:
    exporter.save_pickle("models", "model.pkl", model)
package.seek(0)
importer = torch.package.PackageImporter(package)
show("package", calls_of(importer.load_pickle("models", "model.pkl")))
# CHECK-NEXT: package: {{[0-9a-f]{12}$}}


def on_threads(number):
    """Each thread loads its own model and calls a shared one, which runs for the
    first time."""
    shared = torch.jit.load(sys.argv[1])
    seen = [None] * number

    def work(index):
        own = torch.jit.load(sys.argv[1])
        seen[index] = calls_of(own), calls_of(shared)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return " ".join(sorted(set(sum(seen, ()))))


show("threads", on_threads(8))  # CHECK-NEXT: threads: {{[0-9a-f]{12}$}}

forks.rest()

# Eleven times five calls of what was loaded or copied, in whatever class it
# came, and of eight threads' own and shared ones.
# CALLS-DAG: method,forward,135,
# CALLS-DAG: prim::fork,later,135,
# CALLS-DAG: aten::wait,wait,135,
