#!/usr/bin/env python3
"""Means per kind of node, from torchprof, torch.profiler (Kineto) and LibTorch's
StaticModule.

  agreement.py MODEL.pt INSTRUMENTED.pt --bin BUILD/bin --lib BUILD/lib
               --work FOLDER [--calls N]

All take turns: N calls in each of five repetitions. Prints a JSON object per kind
that torchprof and another know: calls, the mean in nanoseconds and, beside
another's, the five ratios of ours to theirs.

Kineto's operators nest (aten::linear holds aten::addmm), so its totals are
compared, not its self times: a node of TorchScript is the outermost operator.
StaticModule runs a frozen copy of the graph and times its nodes one by one; what
it has in other numbers, it has fused or folded, and is left out.
"""

import argparse
import json
import os
import subprocess

import torch


REPETITIONS = 5


class Static:
    """StaticModule's benchmark of its operators, or the reason why there is
    none."""

    def __init__(self, model, inputs):
        self.inputs, self.missing = list(inputs), None
        try:
            self.module = torch._C._jit_to_static_module(model._c)
            self.call()
        except (AttributeError, RuntimeError) as error:
            self.missing = str(error).split("\n")[0][:120]

    def call(self):
        """kind -> mean in ns over one run's nodes, and their number."""
        if self.missing:
            return {}
        metrics = self.module.benchmark_individual_ops(self.inputs, {}, 1, 1)
        counts = metrics.instances_per_node_type
        return {kind: (ms * 1e6 / counts[kind], counts[kind])
                for kind, ms in metrics.time_per_node_type.items()}


def outermost(events):
    """kind -> (time in ns, operators inside) of the operators that no operator
    calls, in order."""

    def inside(event):
        return sum(1 + inside(child) for child in event.cpu_children)

    spans = {}
    for event in sorted(events, key=lambda event: event.time_range.start):
        parent = event.cpu_parent
        if parent is None or not parent.name.startswith("aten::"):
            spans.setdefault(event.name, []).append(
                (event.time_range.elapsed_us() * 1e3, inside(event)))
    return spans


def mean(values):
    return sum(values) / len(values)


class Comparison:
    def __init__(self, arguments):
        torch.ops.load_library(os.path.join(arguments.lib,
                                            "libtorchprof_runtime.so"))
        self.report = os.path.join(arguments.bin, "torchprof-report")
        self.profile = os.path.join(arguments.work,
                                    "agreement-%d.tprof" % os.getpid())
        torch.ops.torchprof.set_option("file", self.profile)
        torch.set_num_threads(1)
        self.plain = torch.jit.load(arguments.plain)
        self.probed = torch.jit.load(arguments.instrumented)
        self.inputs = self.plain.inputs()
        for _ in range(4):
            self.plain(*self.inputs), self.probed(*self.inputs)
        self.static = Static(self.plain, self.inputs)
        self.calls = arguments.calls

    def repetition(self):
        """kind -> name of the profiler -> (mean in ns, nodes, operators inside)"""
        kineto, static = {}, {}
        control = torch.ops.torchprof
        control.stop()
        control.reset()
        for _ in range(self.calls):
            # The first call of each pays for the caches that others emptied.
            self.probed(*self.inputs)
            control.start()
            self.probed(*self.inputs)
            control.stop()
            with torch.profiler.profile(
                    activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
                self.plain(*self.inputs)
                self.plain(*self.inputs)
            for kind, times in outermost(profiler.events()).items():
                kineto.setdefault(kind, []).extend(times[len(times) // 2:])
            for kind, found in self.static.call().items():
                static.setdefault(kind, []).append(found)
        rows = json.loads(subprocess.run(
            [self.report, "summary", self.profile, "--format=json", "--limit=0",
             "--group-by=kind", "--columns=kind,calls,mean_ns"], check=True,
            stdout=subprocess.PIPE).stdout)["rows"]
        found = {row["kind"]: {"torchprof": (row["mean_ns"], row["calls"], 0)}
                 for row in rows}
        for kind, times in kineto.items():
            found.setdefault(kind, {})["kineto"] = (
                mean([t for t, _ in times]), len(times),
                mean([n for _, n in times]))
        for kind, means in static.items():
            found.setdefault(kind, {})["static"] = (
                mean([t for t, _ in means]), sum(n for _, n in means), 0)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("plain")
    parser.add_argument("instrumented")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--calls", type=int, default=20)
    with torch.no_grad():
        comparison = Comparison(parser.parse_args())
        found = [comparison.repetition() for _ in range(REPETITIONS)]
    for kind in found[0]:
        ours = [repetition.get(kind, {}).get("torchprof") for repetition in found]
        if None in ours:
            continue
        result = {"kind": kind, "calls": sum(n for _, n, _ in ours),
                  "mean_ns": mean([t for t, _, _ in ours])}
        for name in ("kineto", "static"):
            theirs = [repetition.get(kind, {}).get(name) for repetition in found]
            if None in theirs or theirs[0][1] != ours[0][1]:
                continue
            if not all(t for t, _, _ in theirs):
                continue  # below the other's resolution
            result[name] = {
                "mean_ns": mean([t for t, _, _ in theirs]),
                "inside": theirs[0][2],
                "ratios": [a[0] / b[0] for a, b in zip(ours, theirs)]}
        if len(result) > 3:
            print(json.dumps(result))
    if comparison.static.missing:
        print(json.dumps({"absent": "StaticModule: "
                                    + comparison.static.missing}))


if __name__ == "__main__":
    main()
