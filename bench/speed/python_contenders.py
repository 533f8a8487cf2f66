#!/usr/bin/env python3
"""torch.profiler and an FX profiling interpreter, in turns with nothing.

  python_contenders.py MODEL.pt NAME SECONDS [--memory]

Prints a JSON object per contender as torchprof-bench-contenders does. The FX
interpreter runs the eager model of workloads.py, so it has a `plain` of its own.
With --memory what a call leaves on malloc's heap is measured and no time; with
PYTHONMALLOC=malloc Python's objects are there too.
"""

import ctypes
import json
import random
import statistics
import sys
import time

import torch
import torch.fx

import workloads
from processes import quartiles


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


class HeapState(ctypes.Structure):
    """struct mallinfo2 of glibc."""
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
        "uordblks", "fordblks", "keepcost")]


def heap_bytes():
    state = ctypes.CDLL(None).mallinfo2
    state.restype = HeapState
    found = state()
    return found.uordblks + found.hblkhd


class Contender:
    """As in Contenders.cpp: a turn switches it on, pays for what the others
    evicted with as many calls as count, makes those, and closes."""

    def __init__(self, name, call, on=lambda: None, off=lambda state: None):
        self.name, self.call, self.on, self.off = name, call, on, off
        self.calls_ns, self.close_ns = [], []

    def turn(self, calls):
        state = self.on()
        for _ in range(calls):
            self.call()
        begin = time.perf_counter()
        for _ in range(calls):
            self.call()
        middle = time.perf_counter()
        self.off(state)
        self.calls_ns.append((middle - begin) * 1e9 / calls)
        self.close_ns.append((time.perf_counter() - middle) * 1e9 / (2 * calls))

    def held_bytes(self, calls):
        """What a call leaves on the heap until the end."""
        state = self.on()
        self.call()
        before = heap_bytes()
        for _ in range(calls):
            self.call()
        held = (heap_bytes() - before) / calls
        self.off(state)
        return held


def calls_per_turn(plain):
    begin = time.perf_counter()
    for _ in range(3):
        plain.call()
    return min(max(int(2e-3 / ((time.perf_counter() - begin) / 3)), 1), 50)


def memory(contenders, _):
    calls = calls_per_turn(contenders[0])
    for contender in contenders:
        contender.turn(calls)
        held = [contender.held_bytes(calls) for _ in range(5)]
        print(json.dumps({"contender": contender.name,
                          "heap_bytes": statistics.median(held)}))


def turns(contenders, seconds):
    calls = calls_per_turn(contenders[0])
    for contender in contenders:
        contender.turn(calls)
        contender.calls_ns, contender.close_ns = [], []
    plain = contenders[0]
    order, chance = list(contenders), random.Random(1)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(plain.calls_ns) < 3:
        chance.shuffle(order)
        for contender in order:
            contender.turn(calls)
    for contender in contenders:
        spans = contender.calls_ns
        added = [theirs - ours for theirs, ours in zip(spans, plain.calls_ns)]
        low, median, high = quartiles(added)
        print(json.dumps({
            "contender": contender.name, "turns": len(spans),
            "min_ns": min(spans), "median_ns": statistics.median(spans),
            "added_ns": median, "added_q1_ns": low,
            "added_q3_ns": high,
            "close_ns": statistics.median(contender.close_ns)}))


def scripted(model):
    inputs = model.inputs()

    def call():
        model(*inputs)

    def profiler(name, **options):
        def on():
            state = torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU], **options)
            state.__enter__()
            return state

        def off(state):
            state.__exit__(None, None, None)
            state.key_averages().table(sort_by="self_cpu_time_total")

        return Contender(name, call, on, off)

    return [Contender("plain, Python", call),
            profiler("torch.profiler"),
            profiler("torch.profiler, shapes", record_shapes=True),
            profiler("torch.profiler, stack", with_stack=True)]


def traced(name):
    model, x = workloads.eager(name)
    interpreter = ProfilingInterpreter(model)
    return [Contender("plain, FX's eager model", lambda: model(x)),
            Contender("FX interpreter", lambda: interpreter.run(x))]


def main():
    path, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    measure = memory if sys.argv[4:] == ["--memory"] else turns
    torch.set_num_threads(1)
    with torch.no_grad():
        measure(scripted(torch.jit.load(path)), seconds)
        try:
            contenders = traced(name)
        except (ImportError, RuntimeError, torch.fx.proxy.TraceError) as error:
            print(json.dumps({"contender": "FX interpreter",
                              "absent": "the eager model: %s" % error}))
            return
        measure(contenders, seconds)


if __name__ == "__main__":
    main()
