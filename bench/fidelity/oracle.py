#!/usr/bin/env python3
"""Compares what torchprof reports with what is true.

  oracle.py FOLDER --bin BUILD/bin --lib BUILD/lib [--calls N]

The nodes are calls of torchprof_bench::busy, which spins for a given time and
keeps how long it really took. Prints one JSON object per site: counts, means and
quantiles beside the truth, in nanoseconds; and of graphs without control flow how
long the nodes of a run took, one by one and together. Exit code 1 if a count or a
sum is wrong. Times are judged by who reads them: the kernel may take the processor
away between a probe's reading of the clock and the operator's.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from multiprocessing import get_context

import torch

busy = torch.ops.torchprof_bench

#: How nodes are recorded, and what asks for it.
PROBES = {"lowered": {}, "explicit": {"TORCHPROF_LOWER": "off"},
          "one reading": {"TORCHPROF_READS": "one"}}

#: Graphs whose nodes follow each other with nothing between them that is timed.
STRAIGHT = ("straight", "nested")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--calls", type=int, default=300)
    return parser.parse_args()


def tool(arguments, name, *options):
    done = subprocess.run([os.path.join(arguments.bin, name), *options],
                          stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        sys.exit("%s failed" % name)
    return done.stdout


def graphs():
    """The models, made here because scripting needs the operator."""

    class Straight(torch.nn.Module):
        def forward(self, x, ticks: int):
            x = torch.ops.torchprof_bench.busy(x, 1, 2000)
            x = torch.ops.torchprof_bench.busy(x, 2, 20000)
            x = torch.ops.torchprof_bench.busy(x, 3, 200000)
            return torch.ops.torchprof_bench.busy(x, 4, ticks)

    class Loop(torch.nn.Module):
        def forward(self, x, ticks: int):
            for _ in range(5):
                x = torch.ops.torchprof_bench.busy(x, 11, 5000)
                x = torch.ops.torchprof_bench.busy(x, 12, ticks)
            return x

    class Branch(torch.nn.Module):
        def forward(self, x, ticks: int):
            if ticks % 2 == 0:
                x = torch.ops.torchprof_bench.busy(x, 21, 10000)
            else:
                x = torch.ops.torchprof_bench.busy(x, 22, 30000)
            return x

    class Part(torch.nn.Module):
        def __init__(self, id: int):
            super().__init__()
            self.id = id

        def forward(self, x):
            return torch.ops.torchprof_bench.busy(x, self.id, 15000)

    class Outer(torch.nn.Module):
        def __init__(self, id: int):
            super().__init__()
            self.first = Part(id)
            self.second = Part(id + 1)

        def forward(self, x):
            return self.second(self.first(x))

    class Nested(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = Outer(31)
            self.b = Outer(33)

        def forward(self, x, ticks: int):
            return self.b(self.a(x))

    @torch.jit.script
    def aside(x):
        return torch.ops.torchprof_bench.busy(x, 41, 40000)

    class Fork(torch.nn.Module):
        def forward(self, x, ticks: int):
            future = torch.jit.fork(aside, x)
            y = torch.ops.torchprof_bench.busy(x, 42, 10000)
            return y + torch.jit.wait(future)

    return {"straight": Straight(), "loop": Loop(), "if": Branch(),
            "nested": Nested(), "fork": Fork()}


def record(arguments, name, environment):
    """In a process of its own: runs the model and keeps the truth."""
    os.environ.update(environment)
    torch.ops.load_library(os.path.join(arguments.lib,
                                        "libtorchprof_runtime.so"))
    torch.set_num_threads(1)
    base = os.path.join(arguments.folder, name)
    model = torch.jit.load(base + "_instr.pt")
    draw = random.Random(1)
    x = torch.zeros(1)
    with torch.no_grad():
        # Warm: files, caches, the optimized graph.
        for _ in range(4):
            model(x, 1000)
        torch.ops.torchprof.reset()
        busy.forget()
        for _ in range(arguments.calls):
            # A distribution with a tail, whose quantiles are far apart.
            model(x, int(draw.lognormvariate(9, 0.8)))
        torch.ops.torchprof.stop()
    with open(base + ".truth.json", "w") as file:
        json.dump({str(id): busy.truth(id) for id in range(1, 50)
                   if busy.truth(id)}, file)
    # Not through Python's end: a thread of LibTorch's pool that still holds a
    # tensor of Python's then aborts the process (2.13, with any forked model).
    torch.ops.torchprof.flush()
    os._exit(0)


def recorded(arguments, profile):
    """(the profile, the sites of its model, ns per tick)"""
    document = json.loads(tool(arguments, "torchprof-report", "convert",
                               "--to=json", profile))
    rate = document["process"].get("ticks_per_second") or 1e9
    return document, document["models"][0]["sites"], 1e9 / rate


def cells(arguments, profile):
    """(sites of the model, site -> (count, sum in ticks), ns per tick)"""
    document, sites, ns = recorded(arguments, profile)
    first = document["models"][0]["first_slot"]
    found = {}
    for lane in document["lanes"]:
        for cell in lane["cells"]:
            # What a reset emptied and nobody has touched since.
            if cell["epoch"] != document["epoch"]:
                continue
            site = cell["slot"] - first
            count, total = found.get(site, (0, 0))
            found[site] = count + cell["count"], total + cell["sum"]
    return sites, found, ns


def exact_quantile(values, q):
    """The value that the report's definition asks for: ceil(q n)-th smallest."""
    values = sorted(values)
    return values[max(0, -(-int(q * 100) * len(values) // 100) - 1)]


def compare(arguments, name, probes):
    base = os.path.join(arguments.folder, name)
    with open(base + ".truth.json") as file:
        truth = json.load(file)
    profile = base + ".tprof"
    sites, found, ns = cells(arguments, profile)
    rows = json.loads(tool(
        arguments, "torchprof-report", "summary", profile, "--format=json",
        "--limit=0", "--columns=kind,name,calls,total_ns,self_ns,p50_ns,p99_ns",
        "--sort=order"))["rows"]
    measured = [i for i, site in enumerate(sites)
                if site["kind"] == "torchprof_bench::busy"]
    wrong = 0
    # The operator's own number tells which site is which: in program order.
    for site, (id, spans) in zip(measured, sorted(truth.items(),
                                                  key=lambda item: int(item[0]))):
        count, total = found.get(site, (0, 0))
        row = next(r for r in rows if r["name"] == sites[site]["name"])
        mean, true_mean = total * ns / count, sum(spans) * ns / len(spans)
        result = {
            "graph": name, "probes": probes, "id": int(id), "count": count,
            "true_count": len(spans), "mean_ns": mean,
            "true_mean_ns": true_mean, "error_ns": mean - true_mean,
            "p50_ns": row["p50_ns"],
            "true_p50_ns": exact_quantile(spans, 0.5) * ns,
            "p99_ns": row["p99_ns"],
            "true_p99_ns": exact_quantile(spans, 0.99) * ns,
        }
        if count != len(spans) or total < sum(spans):
            result["wrong"] = "counts differ, or less time than was spent"
            wrong += 1
        print(json.dumps(result))
    # By hand: self is the total without what runs directly inside and waits.
    # The report takes the clock's rate from its anchors, not the nominal one.
    for i, site in enumerate(sites):
        if i not in found:
            continue
        inside = sum(found[j][1] for j, child in enumerate(sites)
                     if child.get("parent") == i and j in found
                     and "async" not in child.get("flags", []))
        expected = (found[i][1] - inside) * ns
        row = next(r for r in rows if r["name"] == site["name"]
                   and r["kind"] == site["kind"])
        if abs(row["self_ns"] - expected) > 1e-4 * found[i][1] * ns + 1:
            print(json.dumps({"graph": name, "probes": probes,
                              "site": site["name"], "self_ns": row["self_ns"],
                              "expected_self_ns": expected,
                              "wrong": "self time"}))
            wrong += 1
    return wrong


def add_up(arguments, name, probes):
    """Whether the nodes of each run took as long as from the first one's begin to
    the last one's end, to the tick: with one reading there is nothing between."""
    document, sites, ns = recorded(
        arguments, os.path.join(arguments.folder, name + ".tprof"))
    first = document["models"][0]["first_slot"]
    events = sorted((begin, begin + ticks, sites[slot - first]["kind"])
                    for lane in document["lanes"] for trace in lane["traces"]
                    for slot, begin, ticks in trace["events"])
    roots, sums, together = [], [], []
    for begin, end, kind in events:
        if kind == "method":
            roots.append(end - begin)
            sums.append(0)
            together.append(0)
            start = None
            continue
        start = begin if start is None else start
        sums[-1] += end - begin
        together[-1] = end - start
    result = {
        "graph": name, "probes": probes, "runs": len(roots),
        "exact": sum(map(int.__eq__, sums, together)),
        "sum_ns": sum(sums) * ns / len(roots),
        "together_ns": sum(together) * ns / len(roots),
        "root_ns": sum(roots) * ns / len(roots)}
    if len(roots) != arguments.calls or (
            probes == "one reading" and result["exact"] != len(roots)):
        result["wrong"] = "nodes do not add up to what they took together"
    print(json.dumps(result))
    return "wrong" in result


def run(arguments, name, probes, **environment):
    """Records the model in a fork of this process, which has loaded LibTorch and run
    nothing."""
    profile = os.path.join(arguments.folder, name + ".tprof")
    if os.path.exists(profile):
        os.unlink(profile)
    process = get_context("fork").Process(target=record, args=(
        arguments, name, dict(PROBES[probes], TORCHPROF_FILE=profile, **environment)))
    process.start()
    process.join()
    if process.exitcode:
        sys.exit("%s, %s: exit code %d" % (name, probes, process.exitcode))


def main():
    arguments = parse()
    library = os.path.join(arguments.lib, "torchprof-bench-busy.so")
    torch.ops.load_library(library)
    os.makedirs(arguments.folder, exist_ok=True)
    wrong = 0
    for name, module in graphs().items():
        base = os.path.join(arguments.folder, name)
        torch.jit.script(module.eval()).save(base + ".pt")
        tool(arguments, "torchprof-opt", "--quiet", "--instrument",
             "--load=" + library, base + ".pt", "-o", base + "_instr.pt")
        for probes in PROBES:
            run(arguments, name, probes)
            wrong += compare(arguments, name, probes)
        for probes in ("lowered", "one reading") if name in STRAIGHT else ():
            run(arguments, name, probes, TORCHPROF_MODE="trace")
            wrong += add_up(arguments, name, probes)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
