"""Inlines the calls of a model and saves it: inlined.py IN.pt OUT.pt."""

import sys

import torch

model = torch.jit.load(sys.argv[1])
for name in ("_forward_impl", "forward"):
    torch._C._jit_pass_inline(getattr(model, name).graph)
model.save(sys.argv[2])
