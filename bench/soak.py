#!/usr/bin/env python3
"""Serves an instrumented model from many threads while everything around it is
used: start, stop, flush and snapshot from another thread, the report reading the
live file.

  soak.py MODEL.pt WORK --bin BUILD/bin --lib BUILD/lib [--fold run|thread]
          [--seconds N]

In turns of two phases: in one the recording window is opened and shut at random;
in the other it stays open, and after it every call must have been counted,
exactly. Prints one JSON object; exit code 1 if a count was wrong, a report
failed, memory grew, or another thread folded than was asked for.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time

import torch


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def folding_threads():
    """How many threads of this process torchprof has started."""
    names = []
    for thread in os.listdir("/proc/self/task"):
        with open("/proc/self/task/%s/comm" % thread) as file:
            names.append(file.read().strip())
    return names.count("torchprof-fold")


def miscounted(rows, calls):
    """What is wrong with the count of the one method, which has a row if it was
    called."""
    counted = [row["calls"] for row in rows if row["kind"] == "method"]
    return [] if counted == ([calls] if calls else []) else [
        "%d calls, counted: %s" % (calls, ", ".join(map(str, counted)) or "none")]


class Servers:
    """Threads that call the model while the gate is open."""

    def __init__(self, model, inputs, threads):
        self.model, self.inputs = model, inputs
        self.gate = threading.Event()
        self.stopping = False
        self.idle = [threading.Event() for _ in range(threads)]
        self.calls = [0] * threads
        self.failures = []
        self.optimized = threading.Barrier(threads)
        self.threads = [threading.Thread(target=self.serve, args=(i,))
                        for i in range(threads)]
        for thread in self.threads:
            thread.start()

    def serve(self, number):
        with torch.no_grad():
            # LibTorch's plan adds up in another order than the first calls, which
            # may be any thread's.
            for _ in range(3):
                self.model(*self.inputs)
            self.optimized.wait()
            expected = self.model(*self.inputs)
            while not self.stopping:
                if not self.gate.is_set():
                    self.idle[number].set()
                    self.gate.wait(0.1)
                    continue
                self.idle[number].clear()
                # The gate may have been shut before idle was cleared.
                if not self.gate.is_set():
                    continue
                output = self.model(*self.inputs)
                if not torch.equal(output, expected):
                    self.failures.append(
                        "call %d of thread %d: the output differs by %g" % (
                            self.calls[number], number,
                            (output - expected).abs().max()))
                self.calls[number] += 1

    def pause(self):
        self.gate.clear()
        for event in self.idle:
            event.clear()
        for event in self.idle:
            event.wait()

    def stop(self):
        self.stopping = True
        self.gate.set()
        for thread in self.threads:
            thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("work")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--fold", choices=("run", "thread"), default="run")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--threads", type=int, default=8)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    control = torch.ops.torchprof
    torch.ops.load_library(os.path.join(arguments.lib,
                                        "libtorchprof_runtime.so"))
    profile = os.path.join(arguments.work, "soak-%d.tprof" % os.getpid())
    control.set_option("file", profile)
    control.set_option("fold", arguments.fold)
    torch.set_num_threads(1)
    model = torch.jit.load(arguments.model)
    servers = Servers(model, model.inputs(), arguments.threads)
    snapshot = os.path.join(arguments.work, "soak-snapshot.tprof")
    totals = dict.fromkeys(("calls", "reports", "snapshots", "flushes",
                            "switches", "exact_phases"), 0)
    failures = servers.failures
    draw = random.Random(1)

    def summary(path):
        done = subprocess.run(
            [os.path.join(arguments.bin, "torchprof-report"), "summary", path,
             "--format=json", "--limit=0", "--columns=kind,name,calls"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            universal_newlines=True)
        totals["reports"] += 1
        if done.returncode:
            failures.append("report: " + done.stderr.strip())
            return []
        return json.loads(done.stdout)["rows"]

    def outside(seconds, switching):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(draw.uniform(0, 0.02))
            action = draw.randrange(4)
            if action == 0 and switching:
                control.stop(), time.sleep(0.002), control.start()
                totals["switches"] += 1
            elif action == 1:
                control.flush()
                totals["flushes"] += 1
            elif action == 2:
                if os.path.exists(snapshot):
                    os.unlink(snapshot)
                if control.snapshot(snapshot):
                    failures.append("no snapshot")
                totals["snapshots"] += 1
            elif draw.random() < 0.2:
                summary(profile)

    begin, memory, size = time.monotonic(), [], []
    phase = min(5.0, arguments.seconds / 4)
    while time.monotonic() - begin < arguments.seconds:
        servers.gate.set()
        outside(phase, switching=True)
        servers.pause()
        control.start()
        control.reset()
        before = sum(servers.calls)
        servers.gate.set()
        outside(phase, switching=False)
        servers.pause()
        calls = sum(servers.calls) - before
        failures += miscounted(summary(profile), calls)
        totals["exact_phases"] += 1
        memory.append(resident())
        size.append(os.path.getsize(profile))
    folding = folding_threads()
    if folding != (arguments.fold == "thread"):
        failures.append("%d threads fold" % folding)
    servers.stop()
    totals["calls"] = sum(servers.calls)
    # The first phases still touch buffers and load code.
    settled = memory[len(memory) // 4]
    grown = memory[-1] - settled
    if size[-1] != size[len(size) // 4]:
        failures.append("the file grew from %d to %d bytes"
                        % (size[len(size) // 4], size[-1]))
    if grown > 64 << 20:
        failures.append("memory grew by %d bytes" % grown)
    stats = control.stats()
    print(json.dumps(dict(
        totals, threads=arguments.threads, fold=arguments.fold,
        seconds=round(time.monotonic() - begin), resident_bytes=memory[-1],
        grown_bytes=grown, file_bytes=size[-1],
        lost=sum(stats.get(name, 0) for name in
                 ("lost_no_memory", "lost_no_model")),
        failures=failures[:5])))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
