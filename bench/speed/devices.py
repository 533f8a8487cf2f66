#!/usr/bin/env python3
"""What device time costs on a GPU, and how it compares with the kernels' times of
torch.profiler. For docs/devices.md; bench/run leaves it out, since it needs CUDA
and torchvision.

  LD_PRELOAD=libtorchprof_preload.so TORCHPROF_RECORD=device TORCHPROF_FILE=d.tprof \\
    devices.py MODEL IMAGES SIZE

Prints the operators that take the device most, with torch.profiler's time for
them, and the medians of rounds of 20 runs: stopped, recording, and under
torch.profiler. Without LD_PRELOAD there is nothing to compare with.
"""

import collections
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


def rounds_ms(call):
    """Times of a run by name. Each round has all of them, after a run that pays
    for the change."""
    ops, times = torch.ops.torchprof, collections.defaultdict(list)
    for _ in range(ROUNDS):
        if is_attached():
            ops.start()
            call()
            times["recording"].append(run_ms(call))
            ops.stop()
        call()
        times["without"].append(run_ms(call))
        with profile(activities=ACTIVITIES):
            call()
            times["torch.profiler"].append(run_ms(call))
    return times


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
        if is_attached():
            ours = ours_ms(lambda: model(x), name + ".tprof")
            torch.ops.torchprof.stop()
            kernels = kernels_ms(lambda: model(x))
            for kind, ms in ours.most_common(12):
                print("%-40s %9.3f ms %9.3f ms of kernels" % (
                    kind, ms, kernels[kind]))
        for what, times in sorted(rounds_ms(lambda: model(x)).items()):
            print("%-20s median %8.3f ms, least %8.3f ms" % (
                what, statistics.median(times), min(times)))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
