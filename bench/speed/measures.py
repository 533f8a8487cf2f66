#!/usr/bin/env python3
"""What it costs to measure more than time, beside torch.profiler.

  measures.py NAME=MODEL... --build BUILD [--seconds N] [--turns N] [--fork]

MODEL is a scripted module with a method `inputs` (workloads.py). Each contender has
a process of its own per turn, and the turns change: nothing attached, torchprof
with what TORCHPROF_RECORD names, torch.profiler with the options that tell the
same; without grad, and with a forward and backward. `plain again` is a copy of
`plain`: what it differs by is what a process's place in memory is worth. recorded.py
has what is too little to be seen so. With --fork those without torchprof are forks of
one process, whose places are one: that saves the time in which a process loads
LibTorch.

Prints a JSON object per model and contender: ns of the fastest call and of the median
over the turns of each turn's median call, what torch.profiler's closing took per call,
the number of nodes of a chain and of operators in each, the contender that it is to be
compared with, and the quartiles over the turns of the ratio to that one's median call
in the same turn.
"""

import argparse
import ctypes
import json
import os
import random
import statistics
import sys
import time
import typing
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch

from processes import KEEPS_FREED_MEMORY, libraries, quartiles, run_itself


class Contender(typing.NamedTuple):
    beside: typing.Optional[str]  # the contender that it is compared with
    record: typing.Optional[str] = None  # TORCHPROF_RECORD; None: no torchprof
    peer: typing.Optional[tuple] = None  # torch.profiler's options; None: none
    idle: bool = False  # LibTorch calls something for each operator, which does nothing
    with_grad: bool = False
    chain_only: bool = False


CONTENDERS = {
    "plain": Contender(None),
    "plain again": Contender("plain"),
    "time": Contender("plain", ""),
    "time, memory, shapes": Contender("time", "memory,shapes"),
    "time, labels": Contender("time", "labels", chain_only=True),
    "time, ops": Contender("time", "ops"),
    "RecordFunction alone": Contender("plain", idle=True, chain_only=True),
    "torch.profiler": Contender("plain", peer=()),
    "torch.profiler, memory, shapes": Contender(
        "torch.profiler", peer=("profile_memory", "record_shapes")),
    "torch.profiler, FLOPs": Contender(
        "torch.profiler", peer=("with_flops",), chain_only=True),
    "plain, with grad": Contender(None, with_grad=True),
    "time, with grad": Contender("plain, with grad", "", with_grad=True),
    "torch.profiler, with grad": Contender("plain, with grad", peer=(),
                                           with_grad=True),
}


def chain_length(module):
    """The number of nodes if all that do something are the chain's, else none."""
    kinds = [node.kind() for node in module.inlined_graph.nodes()
             if node.kind() not in ("prim::GetAttr", "prim::Constant")]
    return len(kinds) if set(kinds) == {"aten::relu"} else None


def first_tensor(value):
    while not isinstance(value, torch.Tensor):
        value = value[0]
    return value


def caller(module, build, on_device=False, with_grad=False):
    """What one call is: a forward, or with its backward; on the tests' fake device,
    whose kernels take no time."""
    device = torch.device("cpu")
    if on_device:
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..",
                                        "test", "fake-device"))
        import fake_device
        device = fake_device.load(build)
    values = [value.to(device) for value in module.inputs()]
    if not with_grad:
        return lambda: module(*values)
    values[0].requires_grad_()
    return lambda: first_tensor(module(*values)).sum().backward()


def calls_in_row(call):
    """How many short calls are measured as one: the log of a chain of 300 nodes is
    folded after each 25."""
    begin = time.perf_counter()
    call()
    return 25 if time.perf_counter() - begin < 1e-3 else 1


def fastest_and_median(call, seconds):
    """The mean call in the fastest row of calls, the median over the rows, and the
    number of calls."""
    many = calls_in_row(call)
    rows = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(rows) < 3:
        begin = time.perf_counter_ns()
        for _ in range(many):
            call()
        rows.append((time.perf_counter_ns() - begin) / many)
    return min(rows), statistics.median(rows), many * len(rows)


def work(arguments, model, name):
    """In the process of one contender: what measure() returns."""
    torch.set_num_threads(1)
    module = torch.jit.load(model)
    contender = CONTENDERS[name]
    call = caller(module, arguments.build, with_grad=contender.with_grad)
    if contender.idle:
        ctypes.CDLL(os.path.join(arguments.build, "lib", "torchprof-bench-idle.so")
                    ).torchprofBenchObserveOperators()
    with torch.set_grad_enabled(contender.with_grad):
        for _ in range(20):
            call()
        if contender.peer is None:
            least, median, _ = fastest_and_median(call, arguments.seconds)
            return least, median, 0
        profiler = torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU],
            **dict.fromkeys(contender.peer, True))
        profiler.start()
        # What it has recorded it keeps: a short time.
        least, median, calls = fastest_and_median(call, min(arguments.seconds, 0.3))
        begin = time.perf_counter_ns()
        profiler.stop()
        return least, median, (time.perf_counter_ns() - begin) / calls


def measure(arguments, model, name):
    """[ns of the fastest call, ns of the median call, ns of torch.profiler's closing
    per call]"""
    record = CONTENDERS[name].record
    if arguments.fork and record is None:
        with ProcessPoolExecutor(1, get_context("fork")) as process:
            return process.submit(work, arguments, model, name).result()
    words = [model, "--build", arguments.build, "--inside", name,
             "--seconds", str(arguments.seconds)]
    if record is None:
        return run_itself(words, **KEEPS_FREED_MEMORY)
    return run_itself(words, libraries(arguments.build), TORCHPROF_RECORD=record,
                      **KEEPS_FREED_MEMORY)


def operators_per_node(module, nodes):
    """As torch.profiler counts them: a node's own and those inside of it."""
    values = module.inputs()
    with torch.no_grad():
        for _ in range(3):
            module(*values)
        with torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            module(*values)
    return sum(event.count for event in profile.key_averages()
               if event.key.startswith("aten::")) / nodes


def compare(arguments, workload, model):
    module = torch.jit.load(model)
    nodes = chain_length(module)
    is_chain = nodes is not None
    operators = operators_per_node(module, nodes) if is_chain else None
    names = [name for name, contender in CONTENDERS.items()
             if is_chain or not contender.chain_only]
    found = {name: [] for name in names}
    for _ in range(arguments.turns):
        for name in random.sample(names, len(names)):
            found[name].append(measure(arguments, model, name))
    for name in names:
        turns, beside = found[name], CONTENDERS[name].beside
        ratios = beside and [one[1] / other[1]
                             for one, other in zip(turns, found[beside])]
        print(json.dumps({
            "workload": workload, "contender": name, "beside": beside,
            "turns": len(turns), "nodes": nodes, "operators": operators,
            "min_ns": min(turn[0] for turn in turns),
            "median_ns": statistics.median(turn[1] for turn in turns),
            "closing_ns": statistics.median(turn[2] for turn in turns),
            "ratios": ratios and quartiles(ratios)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL")
    parser.add_argument("--build")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--fork", action="store_true")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(work(arguments, arguments.models[0], arguments.inside)))
        return
    for model in arguments.models:
        compare(arguments, *model.split("=", 1))


if __name__ == "__main__":
    main()
