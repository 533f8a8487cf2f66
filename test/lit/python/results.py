"""What a profile is asked for: tables, trees, files, a page in a notebook."""
# RUN: rm -rf %t && mkdir %t
# RUN: %python -u -W ignore %s %t 2>&1 | FileCheck %s

import json
import os
import sys
import types

import torch

import torchprof_jit

folder = sys.argv[1]


class Inner(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Inner()
        self.second = Inner()

    def forward(self, x):
        return self.second(self.first(x))


p = torchprof_jit.profile(Outer())
for _ in range(3):
    p(torch.rand(4))

print(p.tree())
# CHECK: (root) Outer 3
# CHECK: first Inner
# CHECK: second Inner
print(p.summary(style="torch", sort_by="calls", row_limit=1))
# CHECK: Name {{.*}}Self CPU %
print(p.summary(group_by="kind", columns=["kind", "calls"]))
# CHECK: kind calls
# CHECK: aten::relu 6
print(p.report("runs"))
# CHECK: 3 runs

p.export("folded", os.path.join(folder, "stacks.txt"))
with open(os.path.join(folder, "stacks.txt")) as file:
    print(file.read())
# CHECK: forward;first(Inner);aten::relu {{[0-9]+}}
p.export("speedscope", os.path.join(folder, "profile.json"))
with open(os.path.join(folder, "profile.json")) as file:
    assert json.load(file)["profiles"]

# A frame of rows for those who have pandas; its absence is pandas' own error.
sys.modules["pandas"] = types.SimpleNamespace(DataFrame=list)
assert p.dataframe("kind") == p.rows("kind")

page = p._repr_html_()
assert page is None or page.startswith("<iframe srcdoc=") and "&quot;" in page
assert torchprof_jit.profile(Outer())._repr_html_() is None
print(repr(p))
# CHECK: torchprof_jit
