"""Who trains an instrumented copy trains the module it was made of."""
# RUN: %python -u -W ignore %s | FileCheck %s
# RUN: env TORCHPROF_ATTACH=off %python -u -W ignore %s | FileCheck %s

import copy

import torch
import torch.nn as nn

import torchprof_jit


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.last = nn.Linear(8, 2, bias=False)
        self.register_buffer("calls", torch.zeros(1))
        # Every sum of such numbers is exact, in whatever order LibTorch adds them up.
        for parameter in self.double().parameters():
            parameter.data.fill_(0.5).view(-1)[::3] = -0.25

    def forward(self, x):
        self.calls += 1
        return self.last(self.parts(x))


def train(model, optimizer):
    for step in range(6):
        x = torch.arange(20, dtype=torch.double).view(5, 4) % 7 - step
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def optimizer_of(model):
    return torch.optim.SGD(model.parameters(), 2.0**-6, momentum=0.5)


def is_trained(model):
    state = model.state_dict()
    return all(torch.equal(tensor, state[path])
               for path, tensor in trained.state_dict().items())


untrained = Net()
trained = copy.deepcopy(untrained)
train(torch.jit.script(trained), optimizer_of(trained))
assert not torch.equal(trained.last.weight, untrained.last.weight)
assert trained.calls == 6

for name, copied in (
    ("instrument", torchprof_jit.instrument),
    ("profile", lambda model: torchprof_jit.profile(model).module),
    ("nodes", lambda model: torchprof_jit.profile(model, nodes="all").module),
    ("modules", lambda model: torchprof_jit.profile(model, granularity="module").module),
):
    for prepare in (lambda model: model, torch.jit.script):
        model = prepare(copy.deepcopy(untrained))
        optimizer = optimizer_of(model)  # before there is a copy
        module = copied(model)
        tensors = dict(model.named_parameters(), **dict(model.named_buffers()))
        for path, tensor in [*module.named_parameters(), *module.named_buffers()]:
            assert tensor is tensors.pop(path), path
        assert not tensors, tensors
        train(module, optimizer)
        assert is_trained(model) and is_trained(module)
    print(name, "trains both")
# CHECK: instrument trains both
# CHECK-NEXT: profile trains both
# CHECK-NEXT: nodes trains both
# CHECK-NEXT: modules trains both

# So does the one that is traced.
traced = copy.deepcopy(untrained)
module = torchprof_jit.instrument(torch.jit.trace(traced, torch.rand(5, 4).double()))
assert module.last.weight is traced.last.weight
