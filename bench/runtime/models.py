#!/usr/bin/env python3
"""What the probes cost in whole models.

  models.py --runtime libtorchprof_runtime.so MODEL.pt INSTRUMENTED.pt SHAPE

SHAPE is the input's, 1,3,224,224. Prints a JSON object. Both models run in turns
on one thread; the figures are the least and the median CPU time of a call: what
other processes take does not count, what they evict from the caches does. First
and second calls, which compile the graph, are measured in processes of their own.
"""
import argparse
import json
import statistics
import subprocess
import sys
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--only-start", action="store_true",
                        help=argparse.SUPPRESS)
    parser.add_argument("plain")
    parser.add_argument("instrumented")
    parser.add_argument("shape")
    return parser.parse_args()


def load(path):
    import torch
    return torch.jit.load(path).eval()


def timed(model, inputs):
    begin = time.process_time()
    model(inputs)
    return (time.process_time() - begin) * 1e3


def starts(arguments, path):
    """Least times of the first and second call over fresh processes."""
    pairs = []
    for _ in range(arguments.starts):
        command = [sys.executable, __file__, "--runtime", arguments.runtime,
                   "--only-start", path, path, arguments.shape]
        output = subprocess.run(command, check=True, capture_output=True,
                                text=True).stdout
        pairs.append([float(number) for number in output.split()])
    return [min(column) for column in zip(*pairs)]


def main():
    arguments = parse()
    import torch
    torch.ops.load_library(arguments.runtime)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    inputs = torch.randn([int(n) for n in arguments.shape.split(",")])
    with torch.no_grad():
        if arguments.only_start:
            model = load(arguments.plain)
            print(timed(model, inputs), timed(model, inputs))
            return
        models = {"plain": load(arguments.plain),
                  "instrumented": load(arguments.instrumented)}
        times = {name: [] for name in models}
        for model in models.values():
            for _ in range(5):
                model(inputs)
        for _ in range(arguments.calls):
            for name, model in models.items():
                times[name].append(timed(model, inputs))
    paths = {"plain": arguments.plain, "instrumented": arguments.instrumented}
    result = {"calls": arguments.calls}
    for name, values in times.items():
        first, second = starts(arguments, paths[name])
        result[name] = {"min_ms": min(values),
                        "median_ms": statistics.median(values),
                        "first_ms": first, "second_ms": second}
    ratios = [b / a for a, b in zip(times["plain"], times["instrumented"])]
    result["min_ratio"] = (min(times["instrumented"]) / min(times["plain"]))
    result["median_ratio"] = statistics.median(ratios)
    # How well the median is known: half of the turns' ratios lie within.
    result["ratio_quartiles"] = statistics.quantiles(ratios, n=4)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
