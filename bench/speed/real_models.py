#!/usr/bin/env python3
"""What recording adds to a call of a real model.

  real_models.py NAME=FILE,SHAPE... --build BUILD [--processes N]

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

The contenders are called in turns of random order; before each measured call there
are three that are not. Processes are added until the intervals of what recording
adds, and of what is left of it when recording is stopped, are below --interval per
cent of the call, there are --processes of them, or --minutes have passed.

A call leaves its spans in the log, which is folded after every so many calls: less
often than every fourth, so that medians of calls do not see it. What folding took per
recorded call, as the profile says, is added to what recording takes.

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

from processes import FEWEST, KEEPS_FREED_MEMORY

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


WARM_CALLS = 3


def measured(call):
    for _ in range(WARM_CALLS):
        call()
    begin = time.thread_time_ns()
    call()
    return time.thread_time_ns() - begin


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


def folding_ns(report, before, after, calls):
    """What folding has taken between two snapshots for each of so many calls."""
    ns = []
    for path in (before, after):
        done = subprocess.run([report, "convert", path], check=True,
                              stdout=subprocess.PIPE)
        profile = json.loads(done.stdout)
        ns.append(1e9 * sum(lane.get("fold_ticks", 0) for lane in profile["lanes"])
                  / profile["process"]["ticks_per_second"])
        os.unlink(path)
    assert ns[1] > ns[0] > 0, "nothing was folded"
    return (ns[1] - ns[0]) / calls


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


def work(path, shape, turns, many, snapshots):
    """Prints, per contender, the mean over its copies of the median over the turns
    of a call in ns; and the number of calls recorded between two snapshots."""
    torch.set_num_threads(1)
    kept, padding, copies = load_copies(path, many)
    torch.manual_seed(1)
    x = torch.randn(shape)
    control = torch.ops.torchprof

    def profiled(call):
        with torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU]):
            return measured(call)

    cases = [(contender, model) for contender, its in CONTENDERS.items()
             for name, model in copies if name == its]
    found = {id(case): [] for case in cases}
    with torch.no_grad():
        first_calls(copies, x)
        control.snapshot(snapshots[0])
        for _ in range(turns):
            for case in random.sample(cases, len(cases)):
                contender, model = case
                (control.start if contender == "torchprof" else control.stop)()
                measure = profiled if contender == "torch.profiler" else measured
                before = control.stats()["count"]
                found[id(case)].append(measure(lambda: model(x)))
                recorded = control.stats()["count"] > before
                assert recorded == (contender == "torchprof"), contender
    control.snapshot(snapshots[1])
    print(json.dumps([{
        contender: statistics.mean(statistics.median(found[id(case)])
                                   for case in cases if case[0] == contender)
        for contender in CONTENDERS}, (WARM_CALLS + 1) * turns * many]))


def one_process(arguments, path, shape):
    profile = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                           "models-%d.tprof" % os.getpid())
    snapshots = [profile + number for number in "12"]
    environment = dict(
        os.environ, **KEEPS_FREED_MEMORY, TORCHPROF_FILE=profile,
        TORCHPROF_ATTACH="off", LD_PRELOAD=os.path.join(arguments.build, "lib",
                                "libtorchprof_preload.so"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--build", arguments.build,
         "--turns", str(arguments.turns), "--copies", str(arguments.copies),
         "--inside", ",".join((path, shape, *snapshots))],
        check=True, stdout=subprocess.PIPE, env=environment,
        universal_newlines=True)
    os.unlink(profile)
    call_ns, calls = json.loads(done.stdout.strip().split("\n")[-1])
    call_ns["torchprof"] += folding_ns(
        os.path.join(arguments.build, "bin", "torchprof-report"), *snapshots, calls)
    return call_ns


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
    return len(processes) >= FEWEST and all(
        median_and_interval(added(processes, name))[1] < interval
        for name in ("torchprof", "torchprof stopped"))


def compare(arguments, name, path, shape):
    processes = []
    last = time.monotonic() + 60 * arguments.minutes
    while len(processes) < arguments.processes and time.monotonic() < last and \
            not is_known(processes, arguments.interval):
        processes.append(one_process(arguments, path, shape))
    row = {"model": name, "shape": shape, "processes": len(processes),
           "call_ns": statistics.median(one["plain"] for one in processes)}
    for contender in list(CONTENDERS)[1:]:
        row[contender] = median_and_interval(added(processes, contender))
    print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="NAME=FILE,SHAPE")
    parser.add_argument("--build")
    parser.add_argument("--processes", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=15,
                        help="for each model")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--copies", type=int, default=4,
                        help="of each set in a process")
    parser.add_argument("--interval", type=float, default=0.3)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        path, shape, *snapshots = arguments.inside.split(",")
        return work(path, [int(n) for n in shape.split("x")], arguments.turns,
                    arguments.copies, snapshots)
    for model in arguments.models:
        name, files = model.split("=", 1)
        compare(arguments, name, *files.split(","))


if __name__ == "__main__":
    main()
