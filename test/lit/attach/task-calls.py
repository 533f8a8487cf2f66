"""A method that the body of prim::fork calls through an interface, in a with statement, is a
call and no run: it is in no total and ends no step of a schedule."""
# RUN: rm -f %t*.tprof && %python -W ignore %s %t.pt
# RUN: torchprof-run %t.pt --input 'float[2,3]' --warmup=0 --runs=10 -o %t.tprof --quiet
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --limit=0 | FileCheck %s
# RUN: torchprof-report runs %t.tprof --format=csv | FileCheck %s --check-prefix=RUNS
# RUN: torchprof-opt --quiet --instrument %t.pt -o %t.instr.pt
# RUN: env TORCHPROF_HOOKS=off torchprof-run %t.instr.pt --input 'float[2,3]' --warmup=0 \
# RUN:   --runs=10 -o %t.old.tprof --quiet
# RUN: torchprof-report summary %t.old.tprof --limit=0 | FileCheck %s
# CHECK-DAG: prim::CallMethod {{.*}} 10 {{.*}} -
# CHECK-DAG: prim::Enter {{.*}} 10
# CHECK-DAG: method {{.*}}forward {{.*}}step{{ +}}10
# CHECK-DAG: aten::exp {{.*}} 10
# CHECK: Total {{.*}} 100.00%  10 runs
# CHECK: Excess {{.*}} counted above, but not in Total: methods that bodies of prim::fork call
# CHECK: Asynchronous
# RUNS: {{^}}forward,10,
# RUNS-NEXT: {{^$}}

import sys

import torch


@torch.jit.interface
class Step(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Exp(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.exp()


class Tasks(torch.nn.Module):
    step: Step

    def __init__(self):
        super().__init__()
        self.step = Exp()

    def body(self, x: torch.Tensor):
        with torch.no_grad():
            y = self.step(x)
        return y.sigmoid()

    def forward(self, x: torch.Tensor):
        task = torch.jit.fork(self.body, x)
        return x.tanh() + torch.jit.wait(task)


torch.jit.script(Tasks()).save(sys.argv[1])
