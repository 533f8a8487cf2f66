"""Writes two models and, beside each, one that stands for its instrumented file and
gives the same outputs. One of these has another gradient: spoil-gradient.py FOLDER."""

import json
import os
import sys

import torch


class Relu(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return torch.relu(self.weight) + x


class Clamp(Relu):
    """At 0 its slope is 1, and relu's is 0."""

    def forward(self, x):
        return torch.clamp(self.weight, min=0.0) + x


models, files = [os.path.join(sys.argv[1], name) for name in ("models", "files")]
for folder in models, files:
    os.makedirs(folder)
for name, model, other in ("good", Relu, Relu), ("spoilt", Relu, Clamp):
    torch.jit.script(model()).save(os.path.join(models, name + ".pt"))
    torch.jit.script(other()).save(os.path.join(files, name + ".pt"))
call = {"method": "forward", "inputs": ["float[2,4,4]"], "raises": False}
with open(os.path.join(models, "zoo.json"), "w") as file:
    json.dump([{"name": name, "group": "", "properties": [], "calls": [call]}
               for name in ("good", "spoilt")], file)
