"""In the body of a fork the nodes, and the calls of modules, run beside the fork;
what lies in one of them runs inside of that."""
# RUN: %python -W ignore %s %t.pt | FileCheck %s

import subprocess
import sys

import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.act = torch.nn.Tanh()

    def forward(self, x):
        if bool(torch.all(x > 0)):
            x = torch.relu(x)
        return self.act(x)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, x):
        return torch.jit.wait(torch.jit.fork(self.layer, x)) + x


torch.jit.script(Net()).save(sys.argv[1])


def sites(*options):
    text = subprocess.run(["torchprof-opt", "--print-sites", *options, sys.argv[1]],
                          check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout
    for line in text.splitlines():
        words = line.split(" at ")[0].split()
        print(*options, *words[1:3], "async" if "async" in words else "inside")


# CHECK: {{^}}prim::fork {{.*}} inside
# CHECK: {{^}}prim::If {{.*}} async
# CHECK-NEXT: {{^}}aten::relu {{.*}} inside
# CHECK-NEXT: {{^}}aten::tanh {{.*}} async
# CHECK: {{^}}aten::add {{.*}} inside
sites()
# CHECK: --granularity=module module layer async
# CHECK-NEXT: --granularity=module module act inside
sites("--granularity=module")
