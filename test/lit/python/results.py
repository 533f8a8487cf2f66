"""What a profile is asked for: tables, trees, files, a page in a notebook."""
# RUN: rm -rf %t && mkdir %t
# RUN: %python -u -W ignore %s %t 2>&1 | FileCheck %s

import gc
import gzip
import json
import os
import sys
import types
from unittest import mock

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
p.export("pprof", os.path.join(folder, "stacks.pb.gz"))
with gzip.open(os.path.join(folder, "stacks.pb.gz")) as file:
    assert b"aten::relu" in file.read()
p.export("speedscope", os.path.join(folder, "profile.json"))
with open(os.path.join(folder, "profile.json")) as file:
    exported = json.load(file)
assert exported["profiles"]
print("title:", exported["name"])
# CHECK: title: Outer
p.export("speedscope", os.path.join(folder, "profile.json"), title="here")
with open(os.path.join(folder, "profile.json")) as file:
    print("title:", json.load(file)["name"])
# CHECK: title: here
model = p.module
with torchprof_jit.profile() as whole:
    model(torch.rand(4))
whole.export("speedscope", os.path.join(folder, "profile.json"))
with open(os.path.join(folder, "profile.json")) as file:
    print("title:", json.load(file)["name"])
# CHECK: title: results.py

# A frame of rows for those who have pandas; its absence is pandas' own error.
sys.modules["pandas"] = types.SimpleNamespace(DataFrame=list)
assert p.dataframe("kind") == p.rows("kind")

page = p._repr_html_()
assert page is None or page.startswith("<iframe srcdoc=") and "&quot;" in page
assert torchprof_jit.profile(Outer())._repr_html_() is None
print(repr(p))
# CHECK: torchprof_jit

# Runs are in order where the wall clock was set back between them, by an hour.
set_back = types.SimpleNamespace(path=os.path.join(folder, "set-back.json"))
with open(set_back.path, "w") as file:
    json.dump({
        "process": {"clock": "injected"},
        "anchors": [
            {"ticks": 0, "monotonic_ns": 0, "realtime_ns": 3600 * 10**9},
            {"ticks": 2 * 10**9, "monotonic_ns": 2 * 10**9,
             "realtime_ns": 2 * 10**9}],
        "models": [{"id": 1, "sites": [
            {"kind": "method", "name": "forward", "flags": ["root"]}]}],
        "lanes": [{
            "cells": [{"slot": 0, "samples": [9000000, 1000000]}],
            "runs": [{"slot": 0, "samples": [
                [10**9, 9000000], [3 * 10**9, 1000000]]}]}]}, file)
with mock.patch.object(p, "_recorded", return_value=set_back):
    assert p.runs() == [0.009, 0.001], p.runs()

# Averages that are kept stay what they were, also where they are read later, and
# when the profile is gone; those of nothing are refused at once.
def averages_of_runs():
    p = torchprof_jit.profile(Outer())
    try:
        p.key_averages()
    except RuntimeError as error:
        print("at once:", error)
    p(torch.rand(4))
    read, unread = p.key_averages(), p.key_averages()
    assert {event.key: event.count for event in read}["aten::relu"] == 2
    for _ in range(2):
        p(torch.rand(4))
    return read, unread, p.key_averages()


# CHECK: at once: nothing was recorded
for averages in averages_of_runs():
    gc.collect()
    row, = (line for line in averages.table().splitlines() if "aten::relu" in line)
    print({event.key: event.count for event in averages}["aten::relu"],
          row.split()[-1])
# CHECK-NEXT: 2 2
# CHECK-NEXT: 2 2
# CHECK-NEXT: 6 6

cycles = []
with torchprof_jit.profile(
        model, on_trace_ready=lambda p: cycles.append(p.key_averages()),
        schedule=torchprof_jit.schedule(wait=0, warmup=0, active=1)) as steps:
    for times in (1, 2, 3):
        for _ in range(times):
            model(torch.rand(4))
        steps.step()
print([{event.key: event.count for event in averages}["aten::relu"]
       for averages in cycles])
# CHECK-NEXT: [2, 4, 6]

# The samples of a node are not mixed with those of one of another model.
two_models = types.SimpleNamespace(path=os.path.join(folder, "two-models.json"))
with open(two_models.path, "w") as file:
    json.dump({
        "process": {"clock": "injected"},
        "models": [{
            "id": number,
            "scopes": [{"class": name, "function": "forward(x)"}],
            "sites": [{"kind": "method", "name": "forward", "scope": 0,
                       "flags": ["root"]},
                      {"kind": "aten::linear", "name": "y", "scope": 0,
                       "parent": 0}]}
            for number, name in ((1, "A"), (2, "B"))],
        "lanes": [{"cells": [
            {"slot": slot, "samples": [10**6 * (4 - slot)]}
            for slot in range(4)]}]}, file)
with mock.patch.object(p, "_recorded", return_value=two_models):
    try:
        p.node_runtimes("y")
    except ValueError as error:
        print(error)
    print(p.node_runtimes("A.y"), p.node_runtimes("B/forward//aten::linear/0"))
# CHECK: several nodes are called 'y'; their keys: A/forward//aten::linear/0, B/forward//aten::linear/0
# CHECK-NEXT: [0.003] [0.001]
