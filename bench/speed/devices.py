#!/usr/bin/env python3
"""What device time costs on a GPU, and how it compares with the kernels' times of
torch.profiler. For docs/devices.md; bench/run leaves it out, since it needs CUDA
and torchvision.

  LD_PRELOAD=libtorchprof_preload.so TORCHPROF_RECORD=device TORCHPROF_FILE=d.tprof \\
    devices.py MODEL IMAGES SIZE

Prints the medians of rounds of 20 runs, stopped and recording, and then the
operators that take the device most, with torch.profiler's time for them. Only
then come rounds with torch.profiler: once it has run, CUPTI stays in the process
and makes each call of CUDA slower. Without LD_PRELOAD there are only these.
"""

import collections
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

RUNS, ROUNDS = 20, 7
ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def is_attached():
    return hasattr(torch.ops.torchprof, "snapshot")


def ours_ms(call, path):
    """Milliseconds of the device for each kind of operator in a run."""
    ops = torch.ops.torchprof
    if os.path.exists(path):  # it would stay, and another file be written
        os.unlink(path)
    torch.cuda.synchronize()
    ops.reset()
    for _ in range(RUNS):
        call()
    torch.cuda.synchronize()
    if ops.snapshot(path) != 0:
        sys.exit("devices.py: could not write " + path)
    text = subprocess.run(
        ["torchprof-report", "summary", path, "--limit=0", "--format=json",
         "--columns=kind,device_ns"],
        check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    times = collections.Counter()
    for row in json.loads(text)["rows"]:
        times[row["kind"]] += (row["device_ns"] or 0) / 1e6 / RUNS
    return times


def kernels_ms(call):
    """The same of the kernels that the operators of a method launched."""
    with profile(activities=ACTIVITIES) as recorded:
        for _ in range(RUNS):
            call()
        torch.cuda.synchronize()
    times = collections.Counter()
    for event in recorded.events():
        if event.cpu_parent is not None and event.cpu_parent.name == "forward":
            times[event.name] += event.device_time_total / 1e3 / RUNS
    return times


def run_ms(call):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(RUNS):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / RUNS * 1e3


class Recording:
    """In the place of torch.profiler's profile()."""

    def __enter__(self):
        torch.ops.torchprof.start()

    def __exit__(self, *error):
        torch.ops.torchprof.stop()


def print_rounds(call, ways):
    """Medians of the times of a run. ways: a name and what to run in. Each round
    has all of them, after a run that pays for the change."""
    times = collections.defaultdict(list)
    for _ in range(ROUNDS):
        for name, way in ways:
            with way():
                call()
                times[name].append(run_ms(call))
    for name, _ in ways:
        print("%-24s median %8.3f ms, least %8.3f ms" % (
            name, statistics.median(times[name]), min(times[name])))


def main(name, images, size):
    if not torch.cuda.is_available():
        sys.exit("devices.py: there is no CUDA here")
    import torchvision

    torch.manual_seed(0)
    eager = getattr(torchvision.models, name)(weights=None).eval().cuda()
    model = torch.jit.script(eager)
    x = torch.rand(images, 3, size, size, device="cuda")
    print("%s, %d images of %d x %d, %s, LibTorch %s" % (
        name, images, size, size, torch.cuda.get_device_name(0),
        torch.__version__))
    with torch.no_grad():
        for _ in range(10):
            model(x)
        without = ("without", contextlib.nullcontext)
        recording = ("recording", Recording)
        call = lambda: model(x)
        if is_attached():
            ours = ours_ms(call, name + ".tprof")
            torch.ops.torchprof.stop()
            print_rounds(call, [without, recording])
            kernels = kernels_ms(call)
            for kind, ms in ours.most_common(12):
                print("%-40s %9.3f ms %9.3f ms of kernels" % (
                    kind, ms, kernels[kind]))
            print("once torch.profiler has run:")
        print_rounds(call, [
            without, ("torch.profiler", lambda: profile(activities=ACTIVITIES)),
            *([recording] if is_attached() else [])])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
