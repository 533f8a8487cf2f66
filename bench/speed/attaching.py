#!/usr/bin/env python3
"""What it costs to attach to a model: CPU time until it has made its plans.

  attaching.py NAME=MODEL... --build BUILD [--processes N]

MODEL is a scripted module whose attribute `shape` is its input's (workloads.py).
Loading it and its first two calls, in which LibTorch makes its plans, without
gradients, in processes of their own: torchprof attached and not, in turns. Process
time, user and system: what other processes take does not count.

Prints a JSON object per model: the number of nodes of a chain, the least and the
median ms of both, the difference of the least, and the median over the turns of the
difference.
"""

import argparse
import json
import random
import statistics
import time

from processes import libraries, run_itself

HOW = ("plain", "attached")


def work(model):
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(1)
    with torch.no_grad():
        begin = time.process_time()
        module = torch.jit.load(model)
        value = torch.randn(module.shape)
        for _ in range(2):
            module(value)
        spent = time.process_time() - begin
    kinds = {node.kind() for node in module.inlined_graph.nodes()}
    is_chain = kinds - {"prim::GetAttr", "prim::Constant"} == {"aten::relu",
                                                              "aten::add"}
    length = sum(node.kind().startswith("aten::")
                 for node in module.inlined_graph.nodes())
    print(json.dumps([1e3 * spent, length if is_chain else None]))


def measure(arguments, model, how):
    return run_itself([model, "--inside"],
                      libraries(arguments.build) if how == "attached" else None)


def compare(arguments, name, model):
    turns = {how: [] for how in HOW}
    for _ in range(arguments.processes):
        for how in random.sample(HOW, len(HOW)):
            spent, nodes = measure(arguments, model, how)
            turns[how].append(spent)
    result = {"model": name, "nodes": nodes, "processes": arguments.processes}
    for how in HOW:
        result[how] = {"min_ms": min(turns[how]),
                       "median_ms": statistics.median(turns[how])}
    result["more_min_ms"] = min(turns["attached"]) - min(turns["plain"])
    result["more_median_ms"] = statistics.median(
        ours - plain for ours, plain in zip(turns["attached"], turns["plain"]))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL")
    parser.add_argument("--build")
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return work(arguments.models[0])
    for model in arguments.models:
        print(json.dumps(compare(arguments, *model.split("=", 1))), flush=True)


if __name__ == "__main__":
    main()
