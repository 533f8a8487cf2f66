#!/usr/bin/env python3
"""torch.profiler and an FX profiling interpreter, in turns with nothing.

  python_contenders.py MODEL.pt NAME SECONDS

Prints a JSON object per contender as torchprof-bench-contenders does. The FX
interpreter runs the eager model of workloads.py, so it has a `plain` of its own.
"""

import json
import statistics
import sys
import time

import torch
import torch.fx

import workloads


class ProfilingInterpreter(torch.fx.Interpreter):
    """A table of node runtimes, as one writes it with FX: a reading of the clock
    before and after each node."""

    def __init__(self, model):
        super().__init__(torch.fx.symbolic_trace(model))
        self.runtimes = {}

    def run_node(self, n):
        begin = time.perf_counter()
        result = super().run_node(n)
        self.runtimes.setdefault(n, []).append(time.perf_counter() - begin)
        return result


def turns(contenders, seconds):
    """name -> (run, close); `run` returns what `close` is given."""
    spans = {name: ([], []) for name in contenders}
    for name, (run, close) in contenders.items():
        for _ in range(3):
            close(run())
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(spans[name][0]) < 3:
        for name, (run, close) in contenders.items():
            begin = time.perf_counter()
            state = run()
            middle = time.perf_counter()
            close(state)
            spans[name][0].append((middle - begin) * 1e9)
            spans[name][1].append((time.perf_counter() - middle) * 1e9)
    first = next(iter(spans.values()))[0]
    for name, (calls, closings) in spans.items():
        added = [theirs - ours for theirs, ours in zip(calls, first)]
        quartiles = statistics.quantiles(added, n=4)
        print(json.dumps({
            "contender": name, "turns": len(calls), "min_ns": min(calls),
            "median_ns": statistics.median(calls),
            "added_ns": statistics.median(added), "added_q1_ns": quartiles[0],
            "added_q3_ns": quartiles[2],
            "close_ns": statistics.median(closings)}))


def scripted(model):
    inputs = model.inputs()

    def plain():
        model(*inputs)

    def profiled(**options):
        def run():
            profiler = torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU], **options)
            profiler.__enter__()
            model(*inputs)
            return profiler

        return run

    def close(profiler):
        profiler.__exit__(None, None, None)
        profiler.key_averages().table(sort_by="self_cpu_time_total")

    return {
        "plain, Python": (plain, lambda _: None),
        "torch.profiler": (profiled(), close),
        "torch.profiler, shapes": (profiled(record_shapes=True), close),
        "torch.profiler, stack": (profiled(with_stack=True), close),
    }


def traced(name):
    model, x = workloads.eager(name)
    interpreter = ProfilingInterpreter(model)
    return {
        "plain, FX's eager model": (lambda: model(x), lambda _: None),
        "FX interpreter": (lambda: interpreter.run(x), lambda _: None),
    }


def main():
    path, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    torch.set_num_threads(1)
    with torch.no_grad():
        turns(scripted(torch.jit.load(path)), seconds)
        try:
            contenders = traced(name)
        except (ImportError, RuntimeError, torch.fx.proxy.TraceError) as error:
            print(json.dumps({"contender": "FX interpreter",
                              "absent": "the eager model: %s" % error}))
            return
        turns(contenders, seconds)


if __name__ == "__main__":
    main()
