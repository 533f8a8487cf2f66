"""Blocks of branches, one of which begins with a pooling: LibTorch puts it into a
differentiable group with the cat of the block before."""

import torch
import torch.nn.functional as F


class Branches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.left = torch.nn.Conv2d(4, 2, 1)
        self.right = torch.nn.Conv2d(4, 2, 1)

    def forward(self, x):
        left = F.relu(self.left(x))
        right = F.relu(self.right(F.avg_pool2d(x, 3, 1, 1)))
        return torch.cat([left, right], 1)


model = torch.jit.script(torch.nn.Sequential(*[Branches() for _ in range(3)]))
for _ in range(10):
    model(torch.rand(1, 4, 8, 8)).sum().backward()
