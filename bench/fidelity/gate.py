#!/usr/bin/env python3
"""Whether `torchprof-report diff --fail-above` can be trusted as a gate.

  gate.py FOLDER --bin BUILD/bin --lib BUILD/lib [--reruns N] [--runs N]
          [--processes N]

Records a model of four layers in several processes, then N times again, and compares
each with the first: nothing should trip. Then one layer takes a fifth longer:
that should be found, and nothing else named. Layers are a matrix product and an
operator that spins for a time that the model says. Prints one JSON object, with
what comparing single processes gives beside it.
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
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--processes", type=int, default=5)
    arguments = parser.parse_args()
    library = os.path.join(arguments.lib, "torchprof-bench-busy.so")
    torch.ops.load_library(library)
    os.makedirs(arguments.folder, exist_ok=True)

    def path(name):
        return os.path.join(arguments.folder, name)

    def record(name, slow=None):
        """The profiles of several processes."""
        torch.manual_seed(0)
        model(slow).save(path("model.pt"))
        profiles = [path("%s-%d.tprof" % (name, i))
                    for i in range(arguments.processes)]
        for profile in profiles:
            if os.path.exists(profile):
                os.unlink(profile)
            subprocess.run(
                [os.path.join(arguments.bin, "torchprof-run"), path("model.pt"),
                 "--load=" + library, "--input", "float[8,64]", "--threads", "1",
                 "--runs", str(arguments.runs), "--quiet", "-o", profile],
                check=True)
        return profiles

    def slower(before, after):
        """(whether the gate trips, what it calls slower and by how much)"""
        done = subprocess.run(
            [os.path.join(arguments.bin, "torchprof-report"), "diff",
             *("--before=" + name for name in before),
             *("--after=" + name for name in after), "--fail-above=5%",
             "--changed", "--format=json", "--limit=0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            universal_newlines=True)
        rows = json.loads(done.stdout)["rows"]
        return done.returncode == 1, [
            "%s %+.0f %%" % (row["module"] or row["name"], row["change_pct"])
            for row in rows if row["change"] == "slower"]

    first = record("first")
    tripped, single = [], 0
    for _ in range(arguments.reruns):
        again = record("again")
        trips, rows = slower(first, again)
        if trips:
            tripped.append(rows)
        single += slower(first[:1], again[:1])[0]
    found, named = slower(first, record("slow", slow="third"))
    print(json.dumps({"reruns": arguments.reruns, "runs": arguments.runs,
                      "processes": arguments.processes, "tripped": tripped,
                      "tripped_single": single, "slowed": "third",
                      "found": found, "named": named}))


if __name__ == "__main__":
    main()
