"""Writes variants of one small model: variants.py FOLDER.

The same code comes from two directories and from two lines of a file, with
other weights, saved twice, copied and traced; others differ in one node, one
path or one number.
"""

import copy
import importlib.util
import os
import sys

import torch

folder = sys.argv[1]

CODE = """
import torch

class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = x
        if x.sum() > 0:
            y = self.linear(x)
            y = torch.relu(y)
        return y

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Part()
        self.second = Part()

    def forward(self, x):
        x = self.first(x)
        x = self.second(x)
        return torch.clamp(x, 0.5, 1.5)
"""


def module(place, code=CODE, name="net"):
    """The model of this code, in a file of its own below `place`."""
    os.makedirs(os.path.join(folder, place), exist_ok=True)
    path = os.path.join(folder, place, name + ".py")
    with open(path, "w") as file:
        file.write(code)
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return torch.jit.script(loaded.Net())


def save(model, name):
    torch.jit.save(model, os.path.join(folder, name + ".pt"))


save(module("here"), "here")
save(module("there", "\n# moved down\n" + CODE), "there")
save(module("there", CODE.replace("y = x\n", "result = x\n")
            .replace(" y = ", " result = ").replace("(y)", "(result)")
            .replace("return y", "return result")), "renamed-values")
save(module("here", name="other"), "other-file")
loaded = torch.jit.load(os.path.join(folder, "here.pt"))
save(loaded, "saved-again")
save(copy.deepcopy(loaded), "copied")
save(module("here").eval(), "eval")

save(module("here", CODE.replace("torch.relu(", "torch.tanh(")), "other-node")
save(module("here", CODE.replace("second", "last")), "other-path")
save(module("here", CODE.replace("1.5", "1.25")), "other-number")
save(module("here", CODE.replace("Part", "Piece")), "other-class")
save(module("here", CODE.replace(
    "x = self.first(x)\n        x = self.second(x)",
    "x = self.second(x)\n        x = self.first(x)")), "other-order")
