"""record_shapes=True tells shapes apart; torch.profiler's recipe works by its
names."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.mm(x, x).relu_()


p = torchprof_jit.profile(Model(), with_flops=True, profile_memory=True)
torchprof_jit.profile(record_shapes=True)  # the same
with p:
    for size in (40, 40, 3):
        p.module(torch.rand(size, size))
print(p.key_averages(group_by_input_shape=True)
      .table(sort_by="cpu_time_total", row_limit=-1))
# CHECK: # of Calls Input Shapes Total FLOPs
# CHECK-DAG: aten::mm {{.*}} 2 {{\[\[}}40, 40], [40, 40]] 256 k
# CHECK-DAG: aten::mm {{.*}} 1 {{\[\[}}3, 3], [3, 3]]
# CHECK: Self CPU time total
print(p.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=1))
# CHECK: Self CPU Mem # of Calls Total FLOPs
# CHECK-NEXT: ---
# CHECK-NEXT: aten::mm {{.*}} KiB 3 256 k
# CHECK-EMPTY:
averages = p.key_averages(group_by_input_shape=True)
assert len(averages) == len(list(averages)) == len(averages[:])
for event in averages:
    if event.key == "aten::mm":
        print(event.key, event.count, event.input_shapes, event.flops,
              event.self_cpu_memory_usage == event.cpu_memory_usage,
              event.self_cpu_time_total == event.cpu_time_total > 0,
              event.device_time_total, event.stack)
# CHECK-DAG: aten::mm 2 {{\[\[}}40, 40], [40, 40]] 256000 True True None None
# CHECK-DAG: aten::mm 1 {{\[\[}}3, 3], [3, 3]] 54 True True None None
one, = [event for event in p.key_averages(group_by_stack_n=1)
        if event.key == "aten::mm"]
print(one.count, one.stack, one.input_shapes)
# CHECK: 3 [{{.*}}shapes.py:{{[0-9]+}}(forward){{.*}}] None
row, = [row for row in p.rows() if row["kind"] == "aten::mm"]
assert abs(one.cpu_time_total * 1000 - row["total_ns"]) < 1, (one, row)
print(p.key_averages(group_by_stack_n=1).table().replace(__file__, "here"))
# CHECK: Source Location
# CHECK: aten::mm {{.*}} here:{{[0-9]+}}(forward)
print([row["shapes"] for row in p.rows(group_by="shape")
       if row["kind"] == "aten::relu_"])
# CHECK: ['[40,40]', '[3,3]']


# Models of the same code are one, whatever their sizes; shapes tell these apart.
class Sized(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = torch.nn.Linear(4, width)

    def forward(self, x):
        return self.fc(x)


narrow, wide = (torch.jit.script(Sized(width)) for width in (2, 300))
with torch.no_grad(), torchprof_jit.profile() as q:
    narrow(torch.rand(8, 4))
    narrow(torch.rand(8, 4))
    wide(torch.rand(8, 4))
print({row["model"] for row in q.rows(columns=["model"])},
      {row["shapes"]: row["calls"]
       for row in sorted(q.rows(group_by="shape"), key=lambda row: -row["calls"])
       if row["kind"] == "aten::linear"})
# CHECK: {'Sized'} {'[8,4] [2,4] [2]': 2, '[8,4] [300,4] [300]': 1}
try:
    p.key_averages(group_by_input_shape=True, group_by_stack_n=2)
except ValueError as error:
    print(error)
# CHECK: group by input shapes or by stacks, not by both
