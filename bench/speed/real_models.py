#!/usr/bin/env python3
"""What recording adds to a call of a real model.

  real_models.py NAME=PLAIN,INSTRUMENTED,SHAPE... --build BUILD [--processes N]

SHAPE is the input's, 1x3x224x224. A process loads three copies in random order,
with tensors of random sizes between them: the model twice, and instrumented in a
process with hooks, where its probes become tags as in attaching. All use the
parameters of the first: two copies with parameters of their own differ by up to 7 %
through where these lie in memory. What is left of that shows as the difference of
the second copy from the first.

The contenders are called in turns of random order; before each measured call there
are three that are not. Processes are added until the intervals of what recording
adds, and of what is left of it when recording is stopped, are below --interval per
cent of the call, or there are --processes of them.

Prints a JSON object per model: the median call in ns, and per contender the median
over the processes of what it adds to a call, in per cent, with half of a 95 %
interval of this median (bootstrap).
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

import torch

CONTENDERS = ["plain", "plain again", "torchprof", "torchprof stopped",
              "torch.profiler"]


def load(path):
    return torch.jit.load(path).eval()


def share_parameters(model, first):
    for own, other in ((model.parameters(), first.parameters()),
                       (model.buffers(), first.buffers())):
        for mine, its in zip(own, other):
            mine.data = its.data


def measured(call):
    for _ in range(3):
        call()
    begin = time.thread_time_ns()
    call()
    return time.thread_time_ns() - begin


def work(plain, instrumented, shape, turns):
    """Prints, per contender, the median over the turns of its call in ns."""
    torch.set_num_threads(1)
    padding, copies = [], {}
    paths = {"plain": plain, "plain again": plain, "torchprof": instrumented}
    for name in random.sample(list(paths), len(paths)):
        padding.append(torch.empty(random.randrange(1, 1 << 24)))
        copies[name] = load(paths[name])
    for name in ("plain again", "torchprof"):
        share_parameters(copies[name], copies["plain"])
    torch.manual_seed(1)
    x = torch.randn(shape)
    control = torch.ops.torchprof

    def recorded(recording):
        (control.start if recording else control.stop)()
        return measured(lambda: copies["torchprof"](x))

    def profiled():
        with torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU]):
            return measured(lambda: copies["plain"](x))

    run = {"plain": lambda: measured(lambda: copies["plain"](x)),
           "plain again": lambda: measured(lambda: copies["plain again"](x)),
           "torchprof": lambda: recorded(True),
           "torchprof stopped": lambda: recorded(False),
           "torch.profiler": profiled}
    found = {name: [] for name in CONTENDERS}
    with torch.no_grad():
        expected = copies["plain"](x)
        for model in copies.values():
            for _ in range(5):
                assert torch.equal(model(x), expected)
        for _ in range(turns):
            for name in random.sample(CONTENDERS, len(CONTENDERS)):
                found[name].append(run[name]())
    print(json.dumps({name: statistics.median(calls)
                      for name, calls in found.items()}))


def one_process(arguments, plain, instrumented, shape):
    # Else malloc gives the end of its heap back with each call in some processes,
    # and in others not.
    profile = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                           "models-%d.tprof" % os.getpid())
    environment = dict(
        os.environ, MALLOC_TRIM_THRESHOLD_=str(1 << 30),
        MALLOC_TOP_PAD_=str(64 << 20), MALLOC_MMAP_THRESHOLD_=str(1 << 30),
        TORCHPROF_FILE=profile, TORCHPROF_ATTACH="off",
        LD_PRELOAD=os.path.join(arguments.build, "lib",
                                "libtorchprof_preload.so"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--build", arguments.build,
         "--turns", str(arguments.turns), "--inside",
         ",".join((plain, instrumented, shape))],
        check=True, stdout=subprocess.PIPE, env=environment,
        universal_newlines=True)
    os.unlink(profile)
    return json.loads(done.stdout.strip().split("\n")[-1])


def median_and_interval(values):
    """The median, and half of the 95 % interval of it."""
    chosen = random.Random(1)
    medians = sorted(statistics.median(chosen.choices(values, k=len(values)))
                     for _ in range(2000))
    return (statistics.median(values),
            (medians[int(0.975 * 2000)] - medians[int(0.025 * 2000)]) / 2)


def added(processes, contender):
    return [100 * (one[contender] / one["plain"] - 1) for one in processes]


def is_known(processes, interval):
    """Whether what recording and its remains add is known well enough."""
    return len(processes) >= 6 and all(
        median_and_interval(added(processes, name))[1] < interval
        for name in ("torchprof", "torchprof stopped"))


def compare(arguments, name, plain, instrumented, shape):
    processes = []
    while len(processes) < arguments.processes and \
            not is_known(processes, arguments.interval):
        processes.append(one_process(arguments, plain, instrumented, shape))
    row = {"model": name, "shape": shape, "processes": len(processes),
           "call_ns": statistics.median(one["plain"] for one in processes)}
    for contender in CONTENDERS[1:]:
        row[contender] = median_and_interval(added(processes, contender))
    print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="NAME=PLAIN,INSTRUMENTED,SHAPE")
    parser.add_argument("--build")
    parser.add_argument("--processes", type=int, default=40)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--interval", type=float, default=0.3)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        plain, instrumented, shape = arguments.inside.split(",")
        return work(plain, instrumented, [int(n) for n in shape.split("x")],
                    arguments.turns)
    for model in arguments.models:
        name, files = model.split("=", 1)
        compare(arguments, name, *files.split(","))


if __name__ == "__main__":
    main()
