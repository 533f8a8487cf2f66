"""One plain load and save: resave.py IN.pt OUT.pt."""

import sys

import torch

torch.jit.load(sys.argv[1]).save(sys.argv[2])
