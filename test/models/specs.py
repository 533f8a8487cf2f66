"""Inputs from torchprof-run's words, for tests with a Python host.

  float[2,3]  int64[2]{0:10}  bool[4]  half[2] double[2]
  3  1.5  true  'text'  [spec, spec]  @FILE.pt (all arguments of a call)
"""

import os
import re

import torch

TYPES = {
    "float": torch.float,
    "double": torch.double,
    "half": torch.half,
    "int64": torch.int64,
    "int32": torch.int32,
    "bool": torch.bool,
}


def _split(text):
    """Top-level parts of a list."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += letter in "[{"
        depth -= letter in "]}"
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [part.strip() for part in parts + [part] if part.strip()]


def value(text):
    """One argument. Tensors are random: seed before."""
    tensor = re.fullmatch(r"(\w+)\[([\d, ]*)\](?:\{(-?\d+):(-?\d+)\})?", text)
    if tensor and tensor.group(1) in TYPES:
        kind = TYPES[tensor.group(1)]
        shape = [int(size) for size in _split(tensor.group(2))]
        if kind.is_floating_point:
            return torch.rand(shape).to(kind)
        low, high = int(tensor.group(3) or 0), int(tensor.group(4) or 2)
        return torch.randint(low, high, shape).to(kind)
    if text.startswith("["):
        return [value(part) for part in _split(text[1:-1])]
    if text.startswith("'"):
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


def arguments(inputs, folder):
    """All arguments of a call of the zoo."""
    if len(inputs) == 1 and inputs[0].startswith("@"):
        return list(torch.load(os.path.join(folder, inputs[0][1:])))
    return [value(text) for text in inputs]
