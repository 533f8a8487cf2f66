#!/usr/bin/env python3
"""What it costs to record more than time, to some nanoseconds a node.

  recorded.py MODEL [NAME...] --build BUILD [--rounds N] [--turns N]

MODEL is a scripted chain of nodes with a method `inputs` (workloads.py), NAME what is
to be measured (default: all of RECORDED). Two processes differ by more than that,
through where their memory lies; so each process compares its own calls:

- What torchprof records beside time it records in one of three calls
  (TORCHPROF_RECORD_EVERY), next to the calls between. Not in one of two: malloc
  cleans up in every second call, or every fourth.
- Blocks of memory are counted in those too. What that costs comes from calls with
  LibTorch's allocator next to calls with the one that counts, and is added.
- torchprof itself, and torch.profiler, are switched on and off again and again.

Two builds differ by as much, through where their code lies. So each turn takes another
of the runtimes whose code was moved (CMakeLists.txt).

Prints a JSON object for each: the median over the turns, and the quartiles, of the
ns that the median call of a turn takes longer per node; and the median of the ns per
recorded node that it takes to end the recording.
"""

import argparse
import ctypes
import json
import statistics
import time
import typing

import torch

from measures import caller, chain_length
from processes import KEEPS_FREED_MEMORY, places, quartiles, run_itself


class Recorded(typing.NamedTuple):
    record: str = ""  # TORCHPROF_RECORD
    peer: typing.Optional[tuple] = None  # torch.profiler's options; None: torchprof
    on_device: bool = False


RECORDED = {
    "time": Recorded(),
    "shapes": Recorded("shapes"),
    "memory": Recorded("memory"),
    "memory, shapes": Recorded("memory,shapes"),
    "blocks": Recorded("blocks"),
    "device": Recorded("device", on_device=True),
    "torch.profiler": Recorded(peer=()),
    "torch.profiler, memory, shapes": Recorded(
        peer=("profile_memory", "record_shapes")),
}

#: One in so many calls records.
EVERY = 3
#: Calls in a row after each switch: those that warm up, and those that count. A
#: closing of torch.profiler takes thousands of times as long as what it closes.
WARM, CALLS = 20, 60
#: Rounds of torchprof for each of torch.profiler.
ROUNDS_OF_PEER = 10


def timed(call):
    begin = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - begin


def more_by_turns(call, rounds):
    """How much longer the median call with a number that EVERY divides is than that
    of the others. `call` takes the number."""
    numbers = range(rounds * CALLS * EVERY)
    times = [timed(lambda: call(number)) for number in numbers]
    others = [ns for number, ns in zip(numbers, times) if number % EVERY]
    return statistics.median(times[::EVERY]) - statistics.median(others)


def more_switched(call, switch, rounds):
    """The same of calls while it is switched on, and the mean ns of switching it off
    by the calls that were recorded."""
    times, closing = {False: [], True: []}, 0
    for _ in range(rounds):
        for on in times:
            ns = timed(lambda: switch(on))
            closing += 0 if on else ns
            for _ in range(WARM):
                call()
            times[on] += [timed(call) for _ in range(CALLS)]
    closing += timed(lambda: switch(False))
    more = statistics.median(times[True]) - statistics.median(times[False])
    return more, closing / (rounds * (WARM + CALLS))


def counting(call, rounds):
    """ns that the allocator which counts adds to a call, while torchprof is stopped."""
    c10 = ctypes.CDLL("libc10.so")  # which is there
    default = c10._ZN3c1022GetDefaultCPUAllocatorEv
    current, choose = (c10._ZN3c1015GetCPUAllocatorEv,
                       c10._ZN3c1012SetAllocatorENS_10DeviceTypeEPNS_9AllocatorEh)
    default.restype = current.restype = ctypes.c_void_p
    choose.argtypes = ctypes.c_int8, ctypes.c_void_p, ctypes.c_uint8
    counts, plain = current(), default()
    assert counts != plain

    def chosen(number):
        choose(0, plain if number % EVERY else counts, 0)
        call()

    return more_by_turns(chosen, rounds)


class Profiler:
    """torch.profiler, switched on and off."""

    def __init__(self, options):
        self.options = dict.fromkeys(options, True)
        self.running = None

    def __call__(self, on):
        if on:
            self.running = torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU], **self.options)
            self.running.start()
        elif self.running:
            self.running.stop()
            self.running = None


def work(arguments, what):
    """In the process of one turn: (ns that a node takes longer, ns to close it)."""
    torch.set_num_threads(1)
    module = torch.jit.load(arguments.model)
    nodes = chain_length(module)
    call = caller(module, arguments.build, on_device=what.on_device)
    rounds = arguments.rounds
    with torch.no_grad():
        for _ in range(WARM):
            call()
        if what.peer is not None:
            rounds = max(1, rounds // ROUNDS_OF_PEER)
            more, closing = more_switched(call, Profiler(what.peer), rounds)
            return more / nodes, closing / nodes
        control = torch.ops.torchprof
        if not what.record:
            more, closing = more_switched(
                call, lambda on: control.start() if on else control.stop(), rounds)
            return more / nodes, closing / nodes
        # Each thread's runs 0, EVERY, ... are recorded; run 0 was `inputs`.
        for _ in range(-(1 + WARM) % EVERY):
            call()
        more = more_by_turns(lambda _: call(), rounds)
        closing = timed(control.stop) / (rounds * CALLS)
        if {"memory", "blocks"} & set(what.record.split(",")):
            more += counting(call, rounds)
    return more / nodes, closing / nodes


def measure(arguments, name, place):
    """work() in a process of its own, with the runtime that lies in a folder."""
    what = RECORDED[name]
    words = [arguments.model, "--build", arguments.build, "--inside", name,
             "--rounds", str(arguments.rounds)]
    if what.peer is not None:
        return run_itself(words, **KEEPS_FREED_MEMORY)
    return run_itself(words, place, TORCHPROF_RECORD=what.record,
                      TORCHPROF_RECORD_EVERY=str(EVERY), **KEEPS_FREED_MEMORY)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(RECORDED))
    parser.add_argument("--build")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(work(arguments, RECORDED[arguments.inside])))
        return
    runtimes = places(arguments.build)
    turns = [{name: measure(arguments, name, runtimes[turn % len(runtimes)])
              for name in arguments.names} for turn in range(arguments.turns)]
    for name in arguments.names:
        found = [turn[name] for turn in turns]
        print(json.dumps({
            "recorded": name, "turns": len(turns),
            "more_ns": quartiles([more for more, _ in found]),
            "closing_ns": statistics.median(closing for _, closing in found)}))


if __name__ == "__main__":
    main()
