"""What oneDNN Graph has put together is one row that names its nodes, and the outputs
are those of a process without torchprof."""
# Debian's LibTorch 1.13 has no oneDNN Graph.
# UNSUPPORTED: asan, tsan, torch-1.13
# RUN: rm -f %t*.tprof %t.plain
# RUN: %python -W ignore %s %t.plain
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   %python -W ignore %s %t.plain
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof --columns=kind,calls | FileCheck %s
# CHECK-DAG: {{^}}method 8
# CHECK-DAG: {{^}}aten::_convolution 8
# CHECK-DAG: {{^}}aten::sigmoid 1
# CHECK: measures the fused kernel of aten::_convolution {{.*}}, aten::relu {{.*}}, aten::sigmoid

import os
import sys

import torch

torch.jit.enable_onednn_fusion(True)
torch.set_num_threads(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return torch.relu(self.conv(x)).sigmoid()


torch.manual_seed(0)
x = torch.rand(2, 3, 16, 16)
with torch.no_grad():
    path = sys.argv[1] + ".pt"
    if not os.path.exists(sys.argv[1]):
        traced = torch.jit.trace(Net().eval(), x)
        torch.jit.freeze(traced).save(path)
    net = torch.jit.load(path)
    outputs = [net(x) for _ in range(8)]
    graph = torch.jit.last_executed_optimized_graph()
assert "oneDNNFusionGroup" in str(graph), graph
if os.path.exists(sys.argv[1]):
    for one, other in zip(outputs, torch.load(sys.argv[1])):
        assert torch.equal(one, other)
else:
    torch.save(outputs, sys.argv[1])
