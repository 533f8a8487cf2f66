#!/usr/bin/env python3
"""Whether `torchprof-report diff --fail-above` can be trusted as a gate.

  gate.py FOLDER --bin BUILD/bin --lib BUILD/lib [--reruns N] [--runs N]

Records a model of four layers, then N times again, and compares each with the
first: nothing should trip. Then one layer takes a fifth longer: that should be
found, and nothing else named. Layers are a matrix product and an operator that
spins for a time that the model says. Prints one JSON object.
"""

import argparse
import json
import os
import subprocess

import torch


class Layer(torch.nn.Module):
    def __init__(self, ticks: int):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)
        self.ticks = ticks

    def forward(self, x):
        return torch.ops.torchprof_bench.busy(torch.relu(self.linear(x)), 1,
                                              self.ticks)


def model(slow):
    """Four layers of some 50 us; the one called `slow` takes a fifth longer."""
    names = ["first", "second", "third", "fourth"]
    layers = torch.nn.Sequential()
    for name in names:
        layers.add_module(name, Layer(120000 if name == slow else 100000))
    return torch.jit.script(layers.eval())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--reruns", type=int, default=20)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args()
    library = os.path.join(arguments.lib, "torchprof-bench-busy.so")
    torch.ops.load_library(library)
    os.makedirs(arguments.folder, exist_ok=True)

    def record(name, slow=None):
        base = os.path.join(arguments.folder, name)
        torch.manual_seed(0)
        model(slow).save(base + ".pt")
        subprocess.run(
            [os.path.join(arguments.bin, "torchprof-run"), base + ".pt",
             "--load=" + library, "--input", "float[8,64]", "--threads", "1",
             "--runs", str(arguments.runs), "--quiet", "-o", base + ".tprof"],
            check=True)
        return base + ".tprof"

    def slower(after):
        """(whether the gate trips, what it calls slower and by how much)"""
        done = subprocess.run(
            [os.path.join(arguments.bin, "torchprof-report"), "diff", first,
             after, "--fail-above=5%", "--changed", "--format=json",
             "--limit=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            universal_newlines=True)
        rows = json.loads(done.stdout)["rows"]
        return done.returncode == 1, [
            "%s %+.0f %%" % (row["module"] or row["name"], row["change_pct"])
            for row in rows if row["change"] == "slower"]

    first = os.path.join(arguments.folder, "first.tprof")
    if os.path.exists(first):
        os.unlink(first)
    record("first")
    tripped = []
    for _ in range(arguments.reruns):
        again = os.path.join(arguments.folder, "again.tprof")
        if os.path.exists(again):
            os.unlink(again)
        trips, rows = slower(record("again"))
        if trips:
            tripped.append(rows)
    found, named = slower(record("slow", slow="third"))
    print(json.dumps({"reruns": arguments.reruns, "runs": arguments.runs,
                      "tripped": tripped, "slowed": "third", "found": found,
                      "named": named}))


if __name__ == "__main__":
    main()
