#!/usr/bin/env python3
"""Loads a model from a file and scripts another, runs both and lets them go, again
and again, on two threads of an attached process.

  reload.py WORK --bin BUILD/bin --lib BUILD/lib [--seconds N] [--plain]

After each phase of some seconds the calls counted must be the calls made. The same
model is the same sites however often it comes, so there may be no more of them
later; memory and the file may not grow. Prints one JSON object; exit code 1 if
something was wrong. With --plain nothing is attached: what LibTorch's own memory
does.
"""

import argparse
import concurrent.futures
import ctypes
import gc
import json
import os
import subprocess
import sys
import threading
import time

THREADS = 2
CALLS = 3  # with gradients and without: LibTorch makes its last plan in the second

#: What two heaps may differ by between two quiet moments. Minutes load the models
#: thousands of times: a kilobyte that were kept each time would be more.
MOST_GROWN = 4 << 20

#: A profile notes so many loads, of 128 bytes, and as many plans, which are smaller.
#: Without them a file does not grow.
MOST_EVENTS = 4096
MOST_EVENT_BYTES = 2 * MOST_EVENTS * 128


def attach(arguments):
    """Starts this program anew in a process that torchprof is attached to."""
    os.makedirs(arguments.work, exist_ok=True)
    profile = os.path.join(arguments.work, "reload.tprof")
    if os.path.exists(profile):
        os.unlink(profile)
    os.execve(sys.executable, sys.orig_argv, dict(
        os.environ, TORCHPROF_FILE=profile,
        LD_PRELOAD=os.path.join(arguments.lib, "libtorchprof_preload.so")))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("work")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--plain", action="store_true")
    return parser.parse_args()


arguments = parse()
if not arguments.plain and "LD_PRELOAD" not in os.environ:
    attach(arguments)

import torch  # noqa: E402
from torch import nn  # noqa: E402


class Layer(nn.Module):
    """Its weights are small whole numbers: sums are exact in any order."""

    def __init__(self, seed: int):
        super().__init__()
        draw = torch.Generator().manual_seed(seed)
        self.weight = nn.Parameter(
            torch.randint(-1, 2, (8, 8), generator=draw).float())

    def forward(self, x):
        return torch.relu(torch.matmul(x, self.weight))


class FromFile(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(1), Layer(2)])

    @torch.jit.export
    def loaded(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


class FromSource(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer(3)

    @torch.jit.export
    def scripted(self, x):
        for _ in range(3):
            x = self.layer(x) - x
        return x


INPUT = torch.arange(16.0).reshape(2, 8) - 7


def called(method, grad):
    """What a call says: its output and, with gradients, the input's."""
    x = INPUT.clone().requires_grad_(grad)
    with torch.set_grad_enabled(grad):
        y = method(x)
        return [y.detach()] + list(torch.autograd.grad(y.sum(), x) if grad else [])


class Reloader:
    """Two threads that load and script models for a while, and again."""

    def __init__(self, path):
        self.path = path
        self.expected = {
            (name, grad): called(getattr(module, name), grad)
            for name, module in (("loaded", FromFile()), ("scripted", FromSource()))
            for grad in (False, True)}
        self.scripting = threading.Lock()  # one class on two threads is an error
        self.pool = concurrent.futures.ThreadPoolExecutor(THREADS)
        self.turns = [0] * THREADS
        self.failures = []

    def turn(self):
        models = {"loaded": torch.jit.load(self.path)}
        with self.scripting:
            models["scripted"] = torch.jit.script(FromSource())
        for (name, grad), expected in self.expected.items():
            method = getattr(models[name], name)
            for _ in range(CALLS):
                if not all(map(torch.equal, called(method, grad), expected)):
                    self.failures.append("an output of %s differs" % name)

    def work(self, number, end):
        while True:
            self.turn()
            self.turns[number] += 1
            if time.monotonic() >= end:
                return

    def phase(self, seconds):
        end = time.monotonic() + seconds
        list(self.pool.map(self.work, range(THREADS), [end] * THREADS))

    def calls(self):
        """How often the method of each of both models was called."""
        return sum(self.turns) * 2 * CALLS


def memory():
    """Bytes of the process's own memory, less what waits to be used again."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file
                    if line.startswith("RssAnon:"))


def summary(arguments, profile):
    environment = dict(os.environ)
    del environment["LD_PRELOAD"]
    done = subprocess.run(
        [os.path.join(arguments.bin, "torchprof-report"), "summary", profile,
         "--format=json", "--limit=0", "--columns=kind,name,calls"],
        stdout=subprocess.PIPE, check=True, env=environment,
        universal_newlines=True)
    return json.loads(done.stdout)["rows"]


def observe(arguments, reloader):
    """What there is after a phase."""
    now = {"turns": sum(reloader.turns), "memory_bytes": memory()}
    if arguments.plain:
        return now
    profile = os.environ["TORCHPROF_FILE"]
    rows = summary(arguments, profile)
    counted = {row["name"]: row["calls"] for row in rows if row["kind"] == "method"}
    if counted != dict.fromkeys(("loaded", "scripted"), reloader.calls()):
        reloader.failures.append("%d calls of each, counted: %s"
                                 % (reloader.calls(), counted))
    return dict(now, rows=len(rows), file_bytes=os.path.getsize(profile))


def growth(phases):
    """What has grown that may not, as texts, and by how much memory did."""
    # Until then threads' logs, blocks of cells and LibTorch's own tables come to be.
    settled, last = phases[len(phases) // 4], phases[-1]
    failures = []
    grown = last["memory_bytes"] - settled["memory_bytes"]
    if grown > MOST_GROWN:
        failures.append("memory grew by %d bytes" % grown)
    if "rows" in last:
        if last["rows"] != settled["rows"]:
            failures.append("%d rows became %d" % (settled["rows"], last["rows"]))
        # Each turn is a load.
        full = [phase["file_bytes"] for phase in phases
                if phase["turns"] >= MOST_EVENTS]
        if full and full[-1] != full[0] or \
                last["file_bytes"] > settled["file_bytes"] + MOST_EVENT_BYTES:
            failures.append("the file grew from %d to %d bytes" % (
                settled["file_bytes"], last["file_bytes"]))
    return failures, grown


def main():
    torch.set_num_threads(1)
    path = os.path.join(arguments.work, "reload.pt")
    torch.jit.script(FromFile()).save(path)
    reloader = Reloader(path)
    begin, phases = time.monotonic(), []
    seconds = min(5.0, arguments.seconds / 4)
    while time.monotonic() - begin < arguments.seconds:
        reloader.phase(seconds)
        phases.append(observe(arguments, reloader))
    failures, grown = growth(phases)
    failures += reloader.failures
    print(json.dumps(dict(
        phases[-1], threads=THREADS, attached=not arguments.plain,
        seconds=round(time.monotonic() - begin), phases=len(phases),
        calls=2 * reloader.calls(), grown_bytes=grown, failures=failures[:5])))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
