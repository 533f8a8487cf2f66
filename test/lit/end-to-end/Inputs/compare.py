"""Runs a model and its instrumented copy on the same inputs."""

import sys

import torch

runtime, original, instrumented, runs = sys.argv[1:]
torch.ops.load_library(runtime)
wanted = torch.jit.load(original)
found = torch.jit.load(instrumented)
with torch.no_grad():
    for seed in range(int(runs)):
        torch.manual_seed(seed)
        x = torch.rand(2, 3, 224, 224)
        assert torch.equal(wanted(x), found(x)), seed
