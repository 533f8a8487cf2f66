"""Loads each model of the zoo; one with unknown operators must say so."""

import json
import os
import sys

import torch

folder = sys.argv[1]
with open(os.path.join(folder, "zoo.json")) as file:
    entries = json.load(file)
for entry in entries:
    path = os.path.join(folder, entry["name"] + ".pt")
    try:
        module = torch.jit.load(path)
    except RuntimeError as error:
        if "custom-op" in entry["properties"]:
            assert "Unknown builtin op" in str(error), (path, error)
            print("unknown operators:", entry["name"])
            continue
        raise
    for call in entry["calls"]:
        assert module._c._has_method(call["method"]), (path, call)
print(len(entries), "models")
