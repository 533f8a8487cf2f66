#!/usr/bin/env python3
"""What recording adds to a call of a real model.

  real_models.py NAME=FILE,SHAPE... --build BUILD [--minutes N] [--measuring SECONDS]

SHAPE is the input's, 1x3x224x224. A process loads copies of the file in random
order, with tensors of random sizes between them: some stay plain, to some torchprof
is attached, and some are a second set of plain ones. All use the parameters of one
more that is never called: copies with parameters of their own differ by up to 7 %
through where these lie in memory. What is left of that is averaged over the copies,
and shows as the difference of the second plain set from the first.

All copies are of one file. One that was instrumented and has become tags again is
not: a copy of densenet121 that was only saved with its calls inlined, without any
probe, was 1 to 2 % slower than the file in three series of processes, as much as the
instrumented one that was not recording.

The contenders are called in turns of random order; three calls come before the three
that are measured, of which the median counts: a neighbour's disturbance is as long as
a call. Both sets of plain copies are what the others are compared with.

Loading the copies takes seconds, so a process goes on for --measuring seconds, and for
at least --turns turns. What a copy takes is the mean of the lower half of its turns.
Turns of one copy differ by 5 to 17 % of a call, copies by 1 % or less, and a
disturbance only makes a turn longer: the median still moves with the share of
disturbed turns. Of the same turns it had an interval of 1.4 % where this mean had
0.8 %.

Processes are added until the intervals of what recording adds, and of what is left of
it when recording is stopped, are below --interval per cent of the call, --minutes have
passed, or there are --processes of them.

A call leaves its spans in the log, which is folded after every so many calls. A call
is measured without that; what it takes is added, as the mean over all recorded calls.

Prints a JSON object per model: the median call in ns, how many are measured in a
turn, for how many seconds a process measures, and per contender what it adds to a call, in per cent, the mean over the
processes without the fifth that has least and the one that has most, with half of a
95 % interval of this mean (bootstrap).
"""

import argparse
import json
import math
import mmap
import os
import random
import statistics
import struct
import time

import torch

from processes import FEWEST, KEEPS_FREED_MEMORY, libraries, run_itself

#: What is measured, and with which of a process's sets of copies.
CONTENDERS = {"plain": "plain", "plain again": "plain again",
              "torchprof": "attached", "torchprof stopped": "attached",
              "torch.profiler": "plain"}


def load(path):
    return torch.jit.load(path).eval()


def share_parameters(model, first):
    for own, other in ((model.parameters(), first.parameters()),
                       (model.buffers(), first.buffers())):
        for mine, its in zip(own, other):
            mine.data = its.data


#: Calls of one copy in a turn: those before the measured ones, and these.
WARM_CALLS, MEASURED_CALLS = 3, 3


def one_call(call, folding):
    """What a call takes without folding."""
    folded, begin = folding.ns(), time.thread_time_ns()
    call()
    ns = time.thread_time_ns() - begin
    return ns - (folding.ns() - folded)


def measured(call, folding):
    for _ in range(WARM_CALLS):
        call()
    return statistics.median(one_call(call, folding) for _ in range(MEASURED_CALLS))


def load_copies(path, many):
    """Sets of copies by name; all share the parameters of one that is in none."""
    names = sorted(set(CONTENDERS.values())) * many
    random.shuffle(names)
    kept, padding, copies = load(path), [], []
    for name in names:
        padding.append(torch.empty(random.randrange(1, 1 << 24)))
        copies.append((name, load(path)))
        share_parameters(copies[-1][1], kept)
    return kept, padding, copies


class Folding:
    """How long the logs of a live profile have been folded so far
    (docs/profile-format.md)."""
    HEADER, SEGMENT, LOG = 4096, 64, 7
    TICKS_PER_SECOND, FOLD_TICKS = 48, 120  # in the records Process and Log

    def __init__(self, path):
        with open(path, "rb") as file:
            self.file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (end,) = struct.unpack_from("<Q", self.file, 24)
        self.logs, start = [], self.HEADER
        while start < end:
            kind, size = struct.unpack_from("<4xIQ", self.file, start)
            if kind == self.LOG:
                self.logs.append(start + self.SEGMENT + self.FOLD_TICKS)
            start += size
        (rate,) = struct.unpack_from("<Q", self.file, self.HEADER + self.SEGMENT +
                                     self.TICKS_PER_SECOND)
        self.ns_per_tick = 1e9 / rate

    def ns(self):
        return self.ns_per_tick * sum(struct.unpack_from("<Q", self.file, log)[0]
                                      for log in self.logs)


def first_calls(copies, x):
    """Calls that make the plans, with torchprof attached to those that are to have
    it: it attaches when a model is called for the first time."""
    control = torch.ops.torchprof
    expected = None
    for name, model in copies:
        control.set_option("attach", "on" if name == "attached" else "off")
        for _ in range(5):
            got = model(x)
            assert expected is None or torch.equal(got, expected)
            expected = got


def undisturbed(turns):
    """The mean of the lower half of the turns, and of the one in the middle."""
    return statistics.mean(sorted(turns)[:(len(turns) + 1) // 2])


def work(path, shape, arguments):
    """Prints, per contender, the mean over its copies of what a call takes in ns."""
    many = arguments.copies
    torch.set_num_threads(1)
    kept, padding, copies = load_copies(path, many)
    torch.manual_seed(1)
    x = torch.randn(shape)
    control = torch.ops.torchprof

    def profiled(call):
        with torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU]):
            return measured(call, folding)

    cases = [(contender, model) for contender, its in CONTENDERS.items()
             for name, model in copies if name == its]
    found = {id(case): [] for case in cases}
    with torch.no_grad():
        first_calls(copies, x)
        folding = Folding(os.environ["TORCHPROF_FILE"])
        folded = folding.ns()
        turns, end = 0, time.monotonic() + arguments.measuring
        while turns < arguments.turns or time.monotonic() < end:
            turns += 1
            for case in random.sample(cases, len(cases)):
                contender, model = case
                (control.start if contender == "torchprof" else control.stop)()
                before = control.stats()["count"]
                found[id(case)].append(
                    profiled(lambda: model(x)) if contender == "torch.profiler"
                    else measured(lambda: model(x), folding))
                recorded = control.stats()["count"] > before
                assert recorded == (contender == "torchprof"), contender
    folded = folding.ns() - folded
    assert folding.ns() > 0, "first runs are folded"
    call_ns = {contender: statistics.mean(undisturbed(found[id(case)])
                                          for case in cases if case[0] == contender)
               for contender in CONTENDERS}
    call_ns["torchprof"] += folded / (
        (WARM_CALLS + MEASURED_CALLS) * turns * many)
    print(json.dumps(call_ns))


def one_process(arguments, path, shape):
    return run_itself(
        ["--build", arguments.build, "--turns", str(arguments.turns), "--measuring",
         str(arguments.measuring), "--copies", str(arguments.copies), "--inside",
         ",".join((path, shape))],
        libraries(arguments.build), TORCHPROF_ATTACH="off", **KEEPS_FREED_MEMORY)


def trimmed_mean(values):
    """The mean without a fifth of the values at each end, so that few disturbed
    processes do not count. Its interval is narrower than the median's."""
    cut = len(values) // 5
    return statistics.mean(sorted(values)[cut:len(values) - cut])


def mean_and_interval(values):
    """The trimmed mean, and half of the 95 % interval of it."""
    chosen = random.Random(1)
    means = sorted(trimmed_mean(chosen.choices(values, k=len(values)))
                   for _ in range(2000))
    return (trimmed_mean(values),
            (means[int(0.975 * 2000)] - means[int(0.025 * 2000)]) / 2)


def added(processes, contender):
    """Per process, what a contender adds to a plain call. The second set of plain ones
    is compared with the first, all others with both."""
    def plain(one):
        return one["plain"] if contender == "plain again" else \
            statistics.mean((one["plain"], one["plain again"]))
    return [100 * (one[contender] / plain(one) - 1) for one in processes]


def is_known(processes, interval):
    """Whether what recording and its remains add is known well enough."""
    return len(processes) >= FEWEST and all(
        mean_and_interval(added(processes, name))[1] < interval
        for name in ("torchprof", "torchprof stopped"))


def compare(arguments, name, path, shape):
    processes = []
    last = time.monotonic() + 60 * arguments.minutes
    while len(processes) < arguments.processes and time.monotonic() < last and \
            not is_known(processes, arguments.interval):
        processes.append(one_process(arguments, path, shape))
    row = {"model": name, "shape": shape, "processes": len(processes),
           "measured_calls": MEASURED_CALLS, "measured_s": arguments.measuring,
           "call_ns": statistics.median(one["plain"] for one in processes)}
    for contender in list(CONTENDERS)[1:]:
        row[contender] = mean_and_interval(added(processes, contender))
    print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="NAME=FILE,SHAPE")
    parser.add_argument("--build")
    parser.add_argument("--processes", type=int, default=math.inf,
                        help="at most (default: as many as there is time for)")
    parser.add_argument("--minutes", type=float, default=15,
                        help="for each model")
    parser.add_argument("--measuring", type=float, default=25,
                        help="how many seconds a process measures")
    parser.add_argument("--turns", type=int, default=9,
                        help="of a process, at least")
    parser.add_argument("--copies", type=int, default=4,
                        help="of each set in a process")
    parser.add_argument("--interval", type=float, default=0.3)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        path, shape = arguments.inside.split(",")
        return work(path, [int(n) for n in shape.split("x")], arguments)
    for model in arguments.models:
        name, files = model.split("=", 1)
        compare(arguments, name, *files.split(","))


if __name__ == "__main__":
    main()
