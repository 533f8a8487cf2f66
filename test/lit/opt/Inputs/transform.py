"""Runs an instrumented model after a change that users make to shipped models.

  transform.py RUNTIME MODEL.pt CHANGE [FILE]

Calls the changed model three times. CHANGE: plain, freeze, inference, deepcopy,
double, grad, simple; freeze-save, lite-save and wrap-save write FILE and call
nothing; lite calls a file of lite-save.
"""

import copy
import sys

import torch

runtime, path, change = sys.argv[1:4]
torch.ops.load_library(runtime)
x = torch.rand(1, 3, 64, 64)

if change == "lite":
    from torch.jit.mobile import _load_for_lite_interpreter

    model = _load_for_lite_interpreter(path)
else:
    model = torch.jit.load(path)
if change in ("freeze", "freeze-save"):
    model = torch.jit.freeze(model)
elif change == "inference":
    model = torch.jit.optimize_for_inference(model)
elif change == "deepcopy":
    model = copy.deepcopy(model)
elif change == "double":
    model, x = model.to(torch.double), x.double()
elif change == "simple":
    torch._C._jit_set_profiling_executor(False)

if change == "freeze-save":
    model.save(sys.argv[4])
elif change == "wrap-save":
    torch.jit.script(torch.nn.Sequential(torch.nn.ReLU(), model)).save(sys.argv[4])
elif change == "lite-save":
    model._save_for_lite_interpreter(sys.argv[4])
else:
    with torch.set_grad_enabled(change == "grad"):
        for _ in range(3):
            model(x)
