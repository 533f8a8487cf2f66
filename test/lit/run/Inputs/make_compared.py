"""Models for torchprof-run --compare: saved frozen, in training mode, one whose results
depend on how often it was called, one that prints that, and one that is another one when
it is frozen: its convolution takes two large numbers from each other exactly; with its
batch norm folded into the weights, each is rounded before, by a good part of what is
left. The last is that with a name that steers terminals."""

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


class Prints(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        print("call", self.calls)
        return x + 1


class Cancels(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 1, 1, bias=False)
        self.bn = torch.nn.BatchNorm2d(1)
        with torch.no_grad():
            self.conv.weight.copy_(torch.tensor([1., -1.]).view(1, 2, 1, 1))
        self.bn.running_var.fill_(3)

    def forward(self, x):
        return {"out": [self.bn(self.conv(x + 1e6))]}

    @torch.jit.export
    def again(self, x):
        return self.forward(x)


class Hostile(Cancels):
    def forward(self, x):
        return {"\x1b[2J": self.bn(self.conv(x + 1e6))}


torch.jit.save(torch.jit.freeze(torch.jit.script(Linear().eval())), "frozen.pt")
torch.jit.save(torch.jit.script(Linear().train()), "training.pt")
torch.jit.save(torch.jit.script(Counts().eval()), "counts.pt")
torch.jit.save(torch.jit.script(Prints().eval()), "prints.pt")
torch.jit.save(torch.jit.script(Cancels().eval()), "cancels.pt")
torch.jit.save(torch.jit.script(Hostile().eval()), "hostile.pt")
