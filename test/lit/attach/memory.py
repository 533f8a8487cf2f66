"""What tensors take, per node: as torch.profiler counts it, which records at the
same time, also for gradients; and nothing in the model's results changes."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=memory %python -W ignore %s
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --limit=0 \
# RUN:   --columns=kind,name,calls,alloc_bytes,net_bytes,peak_bytes,allocs | FileCheck %s
# RUN: torchprof-report summary %t.tprof --style=torch --sort=self_cpu_memory_usage | \
# RUN:   FileCheck %s --check-prefix=TORCH
# UNSUPPORTED: asan, tsan
# CHECK: kind name calls alloc net peak allocs
# CHECK-DAG: aten::mul twice 3 11.{{[45]}} MiB 11.{{[45]}} MiB 3.8 MiB {{[0-9]+}}
# CHECK-DAG: aten::relu_ relu_ 3 0 B {{.*}} 0 B 0
# CHECK-DAG: aten::mm product 3 {{.*}} 3{{$}}
# CHECK-DAG: backward MmBackward0 of {{.*}} 3
# TORCH: Name {{.*}} CPU Mem Self CPU Mem # of Calls
# TORCH-NEXT: ---
# TORCH-NEXT: aten::mul {{.*}} 11.{{[45]}} MiB 11.{{[45]}} MiB 3

import os
import subprocess
import json

import torch

torch.set_num_threads(1)


class Model(torch.nn.Module):
    def forward(self, x, weight):
        twice = x * 2
        product = torch.mm(twice.relu_(), weight)
        return product


def profiled(body):
    """Blocks and bytes that torch.profiler sees come, and go, while body runs."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities,
                                profile_memory=True) as profiler:
        body()
    sizes = [event.nbytes() for event in profiler.profiler.kineto_results.events()
             if event.name() == "[memory]"]
    return [size for size in sizes if size > 0], -sum(s for s in sizes if s < 0)


def recorded(kind):
    """What the rows of a kind hold in a profile of now, added up."""
    path = os.environ["TORCHPROF_FILE"] + ".snapshot.tprof"
    assert torch.ops.torchprof.snapshot(path) == 0
    output = subprocess.run(
        ["torchprof-report", "summary", path, "--limit=0", "--format=json",
         "--columns=kind,alloc_bytes,freed_bytes,allocs"], check=True,
        stdout=subprocess.PIPE, universal_newlines=True)
    os.unlink(path)
    rows = [row for row in json.loads(output.stdout)["rows"]
            if row["kind"] == kind]
    return [sum(row[column] or 0 for row in rows)
            for column in ("allocs", "alloc_bytes", "freed_bytes")]


def agree(kind, blocks, freed):
    """The same blocks; of each the size that malloc gave, not what was asked."""
    allocs, bytes, gone = recorded(kind)
    assert allocs == len(blocks), (kind, allocs, blocks)
    assert sum(blocks) <= bytes <= sum(blocks) + 64 * allocs, (bytes, blocks)
    assert freed <= gone <= freed + 64 * allocs, (gone, freed)


plain, model = Model(), torch.jit.script(Model())
x, weight = torch.rand(1000, 1000), torch.rand(1000, 500)
weight.requires_grad_(True)
for _ in range(3):  # LibTorch's plan is made
    assert torch.equal(model(x, weight), plain(x, weight))
torch.ops.torchprof.reset()

results = []
agree("method", *profiled(lambda: results.append(model(x, weight))))
assert recorded("method")[1] >= 4 * (1000 * 1000 + 1000 * 500)
loss, one = results.pop().sum(), torch.ones(())
agree("backward", *profiled(lambda: loss.backward(one)))
assert recorded("backward")[1] >= 4 * 1000 * 500

for _ in range(2):
    model(x, weight).sum().backward()
