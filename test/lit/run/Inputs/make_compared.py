"""Models for torchprof-run --compare: saved frozen, in training mode, and one whose
results depend on how often it was called."""

import torch


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return x + self.calls


torch.jit.save(torch.jit.freeze(torch.jit.script(Linear().eval())), "frozen.pt")
torch.jit.save(torch.jit.script(Linear().train()), "training.pt")
torch.jit.save(torch.jit.script(Counts().eval()), "counts.pt")
