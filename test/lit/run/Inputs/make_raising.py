"""Models that raise: make_raising.py FOLDER LIBRARY. An operator that has no kernel for
the plain tensors of a CPU, an exception without a text, one where a traced model's shape
is another one, and one of an operator in LIBRARY that is no std::exception."""

import os
import sys

import torch


class Backend(torch.nn.Module):
    def forward(self, x):
        return torch.ops.quantized.add(x, x, 1.0, 0)


class Bare(torch.nn.Module):
    def forward(self, x):
        if x.numel() > 0:
            raise NotImplementedError
        return x


class Views(torch.nn.Module):
    def forward(self, x):
        return x.view(2)


class Number(torch.nn.Module):
    def forward(self, x):
        return torch.ops.torchprof_test.throw_number(x)


torch.ops.load_library(sys.argv[2])
os.chdir(sys.argv[1])
torch.jit.script(Backend()).save("backend.pt")
torch.jit.script(Bare()).save("bare.pt")
torch.jit.script(Number()).save("number.pt")
torch.jit.trace(Views(), torch.ones(2)).save("traced.pt")
