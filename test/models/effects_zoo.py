"""Small modules whose nodes do more than compute a value: warnings, output, with
statements, objects that change. LibTorch's interpreter runs several of these by
instructions of its own.
"""

import warnings
from typing import List

import torch
import torch.nn as nn

from zoo import Call, Model

SMALL = "float[2,4]"


class Warns(nn.Module):
    def forward(self, x):
        if x.size(0) > 1:
            warnings.warn("more than one row")
        warnings.warn("seen")
        return torch.relu(x)


class Prints(nn.Module):
    def forward(self, x):
        print("rows:", x.size(0), [1, 2], (x.dim(), "text"))
        return x + 1


class WithStatements(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = torch.relu(x)
            with torch.autograd.profiler.record_function("inner"):
                y = y + x
        return torch.tanh(y)


@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.count = start
        self.seen: List[torch.Tensor] = []

    def add(self, x: torch.Tensor) -> torch.Tensor:
        self.count += 1
        self.seen.append(x)
        return x * self.count


class ScriptClass(nn.Module):
    def forward(self, x):
        counter = Counter(2)
        for _ in range(3):
            x = counter.add(torch.relu(x))
        return x, torch.cat(counter.seen), counter.count


class Asserts(nn.Module):
    def forward(self, x, limit: int):
        assert x.size(0) < limit, "too many rows"
        y = [torch.relu(row) for row in x]
        if isinstance(y, List[torch.Tensor]):
            y = y[::-1]
        del y[0]
        return torch.stack(y)


def script(factory):
    return lambda: torch.jit.script(factory().eval())


MODELS = (
    Model("warns", script(Warns), (Call((SMALL,)),)),
    Model("prints", script(Prints), (Call((SMALL,)),)),
    Model("with_statements", script(WithStatements), (Call((SMALL,)),)),
    Model("script_class", script(ScriptClass), (Call((SMALL,)),)),
    Model("asserts", script(Asserts),
          (Call((SMALL, "3")), Call((SMALL, "2"), raises=True))),
)
