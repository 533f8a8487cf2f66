"""operators=True has torch.profiler's rows, labels=True its labels, and blocks=True
the books."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(50, 50)

    def forward(self, x):
        return torch.relu(self.fc(x))


p = torchprof_jit.profile(Model().eval(), operators=True, labels=True,
                          blocks=True)
with torch.no_grad(), p:
    for _ in range(3):
        with torch.profiler.record_function("step"):
            p.module(torch.rand(20, 50))
print(p.key_averages().table(sort_by="self_cpu_time_total"))
# CHECK: Name Self CPU %
# CHECK-DAG: aten::addmm {{.*}} 3
# CHECK-DAG: step {{.*}} 3
# Names are cut as there.
with p, torch.profiler.record_function("long " + 100 * "x"):
    p.module(torch.rand(20, 50))
for width in (55, 20, None):
    arguments = {} if width == 55 else {"max_name_column_width": width}
    row, = [line.split("  ")[0] for line in
            p.key_averages().table(**arguments).splitlines() if "long x" in line]
    print(len(row), row[-3:])
# CHECK: 55 x..
# CHECK-NEXT: 20 x..
# CHECK-NEXT: 105 xxx
print(p.summary(), "end of the summary")
# CHECK-NOT: aten::addmm
# CHECK: end of the summary
print(p.summary(operators=True))
# CHECK: aten::addmm in aten::linear
print(p.tree("--ops"))
# CHECK: aten::linear
# CHECK: aten::addmm
print(p.memory())
# CHECK: alive at the peak
# CHECK: aten::
