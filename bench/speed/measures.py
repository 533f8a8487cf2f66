#!/usr/bin/env python3
"""What it costs a node to measure more than time.

  measures.py MODEL --build BUILD [--seconds N] [--turns N]

MODEL is a chain of nodes that do nearly nothing (workloads.py). Each contender has
a process of its own per turn, and the turns change: nothing attached, torchprof
with what TORCHPROF_RECORD names, torch.profiler without and with shapes and
memory; and the same chain on the tests' fake device, whose kernels take no time.
Prints a JSON object per contender: ns a node, of the fastest call and of the
median over the turns of each turn's median call, and the contender that it is
to be compared with.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
import typing

import torch



class Contender(typing.NamedTuple):
    beside: typing.Optional[str]  # the contender that it is compared with
    record: typing.Optional[str]  # TORCHPROF_RECORD; None: without torchprof
    on_device: bool = False


CONTENDERS = {
    "plain": Contender(None, None),
    "time": Contender("plain", ""),
    "time, memory": Contender("time", "memory"),
    "time, shapes": Contender("time", "shapes"),
    "time, memory, shapes": Contender("time", "memory,shapes"),
    "time, blocks": Contender("time", "blocks"),
    "time, labels": Contender("time", "labels"),
    "time, ops": Contender("time", "ops"),
    "torch.profiler": Contender("plain", None),
    "torch.profiler with memory and shapes": Contender("plain", None),
    "time, on the fake device": Contender(None, "", on_device=True),
    "time, device, on the fake device": Contender(
        "time, on the fake device", "device", on_device=True),
}


def work(arguments):
    torch.set_num_threads(1)
    module = torch.jit.load(arguments.model)
    nodes = sum(node.kind() == "aten::relu"
                for node in module.inlined_graph.nodes())
    device = torch.device("cpu")
    if CONTENDERS[arguments.inside].on_device:
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..",
                                        "test", "fake-device"))
        import fake_device
        device = fake_device.load(arguments.build)
    values = [value.to(device) for value in module.inputs()]

    def least_and_median():
        calls = []
        end = time.perf_counter() + arguments.seconds
        while time.perf_counter() < end:
            begin = time.perf_counter_ns()
            module(*values)
            calls.append(time.perf_counter_ns() - begin)
        return min(calls) / nodes, statistics.median(calls) / nodes

    with torch.no_grad():
        for _ in range(20):
            module(*values)
        if arguments.inside.startswith("torch.profiler"):
            # What it has recorded it keeps: a short time, without its closing.
            arguments.seconds = min(arguments.seconds, 0.3)
            more = "with" in arguments.inside
            with torch.profiler.profile(
                    activities=[torch.profiler.ProfilerActivity.CPU],
                    record_shapes=more, profile_memory=more):
                result = least_and_median()
        else:
            result = least_and_median()
    print(json.dumps(result))


def measure(arguments, name):
    environment = dict(os.environ)
    record = CONTENDERS[name].record
    if record is not None:
        profile = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                               "measures-%d.tprof" % os.getpid())
        if os.path.exists(profile):
            os.unlink(profile)
        environment.update(
            TORCHPROF_FILE=profile, TORCHPROF_RECORD=record,
            LD_PRELOAD=os.path.join(arguments.build, "lib",
                                    "libtorchprof_preload.so"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, arguments.model,
         "--build", arguments.build, "--inside", name,
         "--seconds", str(arguments.seconds)],
        check=True, stdout=subprocess.PIPE, env=environment,
        universal_newlines=True)
    if record is not None:
        os.unlink(profile)
    return json.loads(done.stdout.strip().split("\n")[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--build")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return work(arguments)
    found = {name: [] for name in CONTENDERS}
    for _ in range(arguments.turns):
        order = list(CONTENDERS)
        random.shuffle(order)
        for name in order:
            found[name].append(measure(arguments, name))
    for name, nodes in found.items():
        print(json.dumps({"contender": name, "beside": CONTENDERS[name].beside,
                          "turns": len(nodes),
                          "min_ns": min(node[0] for node in nodes),
                          "median_ns": statistics.median(
                              node[1] for node in nodes)}), flush=True)


if __name__ == "__main__":
    main()
