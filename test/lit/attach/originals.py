"""What runs of an instrumented file in an attached process is the original that the
file keeps, with the probes' sites: LibTorch makes the same graph of it as of the
model's own file, and the profiles are the same."""
# RUN: rm -rf %t && mkdir %t && %python -W ignore %s make %t/model.pt
# RUN: %python -W ignore %s run %t/model.pt > %t/alone
# RUN: FileCheck %s --input-file=%t/alone
# CHECK: prim::isinstance
# CHECK: DifferentiableGraph
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so \
# RUN:   TORCHPROF_FILE=%t/model.tprof %python -W ignore %s run %t/model.pt > %t/attached
# RUN: diff %t/alone %t/attached

# However the sites were chosen, with all methods or some.
# RUN: torchprof-opt --quiet --instrument %t/model.pt -o %t/default.pt
# RUN: torchprof-opt --quiet --instrument --nodes=all %t/model.pt -o %t/all.pt
# RUN: torchprof-opt --quiet --instrument --granularity=module %t/model.pt -o %t/module.pt
# RUN: torchprof-opt --quiet --instrument --methods=forward %t/model.pt -o %t/methods.pt
# RUN: torchprof-opt --quiet --instrument --methods=forward --nodes=all --granularity=module \
# RUN:   %t/model.pt -o %t/both.pt
# RUN: torchprof-opt --quiet --instrument --include='aten::t*' --exclude='aten::tanh_' \
# RUN:   %t/model.pt -o %t/globs.pt
# RUN: torchprof-opt --quiet --instrument --methods=middle,hook,forward %t/model.pt -o %t/hook.pt
# RUN: %python -W ignore %s same %t %build default all module methods both globs hook
# RUN: torchprof-report summary %t/model.tprof --limit=0 --columns=kind,key,calls \
# RUN:   --format=csv | sort > %t/model.csv
# RUN: torchprof-report summary %t/default.tprof --limit=0 --columns=kind,key,calls \
# RUN:   --format=csv | sort > %t/default.csv
# RUN: diff %t/model.csv %t/default.csv
# RUN: FileCheck %s --input-file=%t/default.csv --check-prefix=SITES
# SITES: aten::tanh,forward/part/aten::tanh/0,4
# RUN: torchprof-report summary %t/module.tprof --columns=kind,key,calls --format=csv \
# RUN:   | FileCheck %s --check-prefix=MODULES
# MODULES: module,forward/part{{.*}},4

# RUN: torchprof-report summary %t/globs.tprof --columns=kind,key,calls --format=csv \
# RUN:   | FileCheck %s --check-prefix=GLOBS --implicit-check-not=forward//aten::
# GLOBS: aten::tanh,forward/part/aten::tanh/0,4
# RUN: torchprof-report check %t/globs.tprof | FileCheck %s --check-prefix=CHECK-FILE
# CHECK-FILE: model{{.*}} by torchprof {{[0-9.]+}} --include=aten::t* --exclude=aten::tanh_{{$}}
# RUN: torchprof-report summary %t/hook.tprof --columns=kind,key,calls --format=csv \
# RUN:   | FileCheck %s --check-prefix=HOOK
# HOOK: aten::neg,hook//aten::neg/0,4

import os
import re
import subprocess
import sys
from typing import List, Tuple, Union

import torch


def as_list(sizes: Union[int, List[int]]) -> List[int]:
    if isinstance(sizes, int):
        sizes = [sizes]
    return sizes


class Part(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) * 1.1


def hook(self, input: Tuple[torch.Tensor]) -> Tuple[torch.Tensor]:
    return (torch.neg(input[0]),)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.sizes = [2, 3]

    # Instrumented methods call each other.
    @torch.jit.export
    def inner(self, x):
        y = self.part(x)
        return y * y + torch.exp(y) * y + torch.sin(y) * len(as_list(self.sizes))

    @torch.jit.export
    def middle(self, x):
        return self.inner(x) + x

    def forward(self, x):
        x = x.detach().requires_grad_(True)
        forces = torch.autograd.grad([self.middle(x).sum()], [x])[0]
        assert forces is not None
        return forces


def check_same(folder, build, names):
    with open(os.path.join(folder, "alone")) as file:
        alone = file.read()
    for name in names:
        path = os.path.join(folder, name)
        attached = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, "run", path + ".pt"],
            check=True, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, TORCHPROF_FILE=path + ".tprof",
                     LD_PRELOAD=build + "/lib/libtorchprof_preload.so")).stdout
        assert attached == alone, (name, attached)


def main():
    mode, path = sys.argv[1:3]
    if mode == "same":
        check_same(path, sys.argv[3], sys.argv[4:])
        return
    if mode == "make":
        model = Model()
        model.register_forward_pre_hook(hook)
        torch.jit.script(model).save(path)
        return
    model = torch.jit.load(path)
    torch.manual_seed(0)
    for _ in range(4):
        print(model(torch.randn(100)).tolist())
    graph = str(torch.jit.last_executed_optimized_graph())
    graph = re.sub(r" *#.*", "", graph)
    print(re.sub(r"%[\w.]+", "%", graph))


main()
