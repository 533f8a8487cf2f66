#!/usr/bin/env python3
"""How torchprof-report does with large profiles.

  bench/report/run.py BUILD [FOLDER]

BUILD is a build tree with -DTORCHPROF_BUILD_BENCH=ON; FOLDER (default: a new
temporary one) takes about 4 GB. Prints each case with its time, the peak
memory of the tool and the bar that it should meet.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1]).resolve() / "bin"


def run(*command):
    """Seconds and peak memory in MB of a command."""
    before = time.monotonic()
    pid = os.posix_spawn(
        command[0],
        [str(part) for part in command],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, command))}: status {status}")
    return time.monotonic() - before, usage.ru_maxrss / 1024


def make(path, *numbers):
    if not path.exists():
        subprocess.run(
            [build / "torchprof-make-profile", path, *map(str, numbers)],
            check=True,
        )
    return path


def best(times, *command):
    return min(run(*command) for _ in range(times))


def main(folder):
    report = build / "torchprof-report"
    wide = make(folder / "wide.tprof", 100_000, 16, 0)
    size = wide.stat().st_size / 1e6
    seconds, memory = best(3, report, "summary", wide, "--limit=20")
    print(
        f"summary of 100000 sites x 16 threads ({size:.0f} MB): "
        f"{seconds:.2f} s, {memory:.0f} MB mapped and used (bar: 2 s)"
    )
    seconds, memory = best(
        2, report, "summary", wide, "--limit=20", "--columns=name,p50_ns,p99_ns"
    )
    print(f"the same with percentiles: {seconds:.2f} s, {memory:.0f} MB")

    for count in (1_000_000, 10_000_000):
        trace = make(folder / f"trace{count}.tprof", 112, 4, count)
        out = folder / "trace.json"
        seconds, memory = run(
            report, "export", "--to=chrome", trace, "-o", out
        )
        written = out.stat().st_size / 1e6
        read = trace.stat().st_size / 1e6
        print(
            f"chrome JSON of {count} events: {written:.0f} MB in "
            f"{seconds:.2f} s = {written / seconds:.0f} MB/s, peak "
            f"{memory:.0f} MB of which {read:.0f} MB is the mapped file "
            "(bar: 100 MB/s)"
        )
        out.unlink()

    files = [
        make(folder / f"small{seed}.tprof", 112, 1, 0, seed)
        for seed in range(1000)
    ]
    for count in (10, 1000):
        seconds, memory = run(
            report, "merge", *files[:count], "-o", folder / "merged.tprof"
        )
        print(
            f"merge of {count} profiles of 112 sites: {seconds:.2f} s, peak "
            f"{memory:.0f} MB (bar: 5 s for 1000)"
        )


if len(sys.argv) > 2:
    main(pathlib.Path(sys.argv[2]).resolve())
else:
    with tempfile.TemporaryDirectory() as temporary:
        main(pathlib.Path(temporary))
