#!/usr/bin/env python3
"""Makes the models that the contenders run: workloads.py FOLDER [NAME...]

Each is a scripted module with `forward` and a method `inputs` that makes its
arguments. Needs torchvision for the models that are its own; without it they are
left out. eager(NAME) gives a model as it was before scripting.
"""

import os
import sys
from typing import List, Tuple

import torch
from torch import nn


def written_out(name, statements):
    """A module of the statements, which scripting reads from a file."""
    lines = ["import torch", "class Chain(torch.nn.Module):",
             "    def forward(self, x):"]
    lines += ["        " + line for line in statements] + ["        return x"]
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                          "torchprof-bench-%d" % os.getuid())
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    import importlib.util
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Chain()


def relu_chain():
    """300 nodes that do nearly nothing, written out: a loop would be one."""
    return written_out("relu_chain", ["x = torch.relu(x)"] * 300)


def chain(length):
    def make():
        return written_out("chain_%d" % length,
                           ["x = torch.relu(x)", "x = x + 1"] * (length // 2))
    return make


class LstmLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(32, 32)

    def forward(self, x):
        h = torch.zeros(x.size(1), 32)
        c = torch.zeros(x.size(1), 32)
        for i in range(x.size(0)):
            h, c = self.cell(x[i], (h, c))
        return h


class UnrolledLstm(LstmLoop):
    """The same for FX, which cannot trace a loop over a tensor's size."""

    def forward(self, x):
        h = torch.zeros(4, 32)
        c = torch.zeros(4, 32)
        state = (h, c)
        for i in range(20):
            state = self.cell(x[i], state)
        return state[0]


class Encoder(nn.Module):
    """Four encoder layers, written out: torch's own take a fused path."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([EncoderLayer() for _ in range(4)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class EncoderLayer(nn.Module):
    def __init__(self, width: int = 128, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x):
        # Slices, since FX cannot unpack the list that chunk() returns.
        all = self.project(self.norm1(x)).reshape(2, 32, 3, self.heads, 32)
        q = all[:, :, 0].transpose(1, 2)
        k = all[:, :, 1].transpose(1, 2)
        v = all[:, :, 2].transpose(1, 2)
        scores = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / 5.7, dim=-1)
        y = torch.matmul(scores, v).transpose(1, 2).reshape(2, 32, 128)
        x = x + self.out(y)
        return x + self.down(torch.relu(self.up(self.norm2(x))))


def import_torchvision():
    try:
        import torchvision
    except RuntimeError:
        # Its library is another LibTorch's. What it says of the operators in
        # there, while it is imported, wants them defined.
        for name in ("nms", "qnms"):
            torch.library.define(
                "torchvision::" + name,
                "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision
    return torchvision


def vision(name):
    def make():
        return getattr(import_torchvision().models, name)(weights=None)
    return make


#: name -> (factory, shape of the input, factory for FX)
WORKLOADS = {
    "relu_chain": (relu_chain, [8], relu_chain),
    "lstm_loop": (LstmLoop, [20, 4, 32], UnrolledLstm),
    "encoder": (Encoder, [2, 32, 128], Encoder),
    "resnet18_1": (vision("resnet18"), [1, 3, 224, 224], vision("resnet18")),
    "resnet18_5": (vision("resnet18"), [5, 3, 224, 224], vision("resnet18")),
    "mobilenet_v3": (vision("mobilenet_v3_small"), [1, 3, 224, 224],
                     vision("mobilenet_v3_small")),
    "densenet121": (vision("densenet121"), [1, 3, 224, 224], None),
    "vit_b_16": (vision("vit_b_16"), [1, 3, 224, 224], None),
    "chain_100": (chain(100), [8], None),
    "chain_1000": (chain(1000), [8], None),
    "chain_5000": (chain(5000), [8], None),
}


class Workload(nn.Module):
    def __init__(self, model, shape: List[int]):
        super().__init__()
        self.model = model
        self.shape = shape

    def forward(self, x):
        return self.model(x)

    @torch.jit.export
    def inputs(self) -> Tuple[torch.Tensor]:
        torch.manual_seed(1)
        return (torch.randn(self.shape),)


def eager(name):
    """(model, input) for FX; raises ImportError without torchvision."""
    _, shape, factory = WORKLOADS[name]
    torch.manual_seed(0)
    model = factory().eval()
    torch.manual_seed(1)
    return model, torch.randn(shape)


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(WORKLOADS)
    os.makedirs(folder, exist_ok=True)
    for name in names:
        factory, shape, _ = WORKLOADS[name]
        path = os.path.join(folder, name + ".pt")
        if os.path.exists(path):
            continue
        torch.manual_seed(0)
        try:
            model = Workload(factory().eval(), shape).eval()
        except ImportError as error:
            print("left out:", name, error, file=sys.stderr)
            continue
        torch.jit.script(model).save(path)


if __name__ == "__main__":
    main()
