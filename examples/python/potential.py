"""Writes potential.pt: a model of atoms that computes the forces on them itself.

Forces are the gradient of the energy. With autograd in the model, a program in
C++ only calls forward; see examples/cpp/dynamics. The middle block is much wider
than the others. fixed.pt is the same model with weights that have no gradient.
"""

from typing import List, Optional

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, features: int, width: int):
        super().__init__()
        self.widen = nn.Linear(features, width)
        self.narrow = nn.Linear(width, features)

    def forward(self, x):
        return x + self.narrow(torch.tanh(self.widen(x)))


class Potential(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0, 4, 32))
        self.blocks = nn.ModuleList([Block(32, n) for n in (64, 8192, 64)])
        self.energy = nn.Linear(32, 1)

    def forward(self, positions):
        positions = positions.detach().requires_grad_(True)
        apart = positions.unsqueeze(0) - positions.unsqueeze(1)
        distance = apart.square().sum(-1, keepdim=True).add(1e-6).sqrt()
        x = torch.exp(-(distance - self.centers).square()).sum(1)
        for block in self.blocks:
            x = block(x)
        energy = self.energy(x).sum()
        ones: List[Optional[torch.Tensor]] = [torch.ones_like(energy)]
        slope = torch.autograd.grad([energy], [positions], ones)[0]
        assert slope is not None
        return energy.detach(), -slope


torch.manual_seed(0)
model = Potential()
torch.jit.script(model).save("potential.pt")
torch.jit.script(model.requires_grad_(False)).save("fixed.pt")
