#!/usr/bin/env python3
"""How torchprof-report does with large profiles.

  bench/report/run.py BUILD [SCALE]

BUILD is a build tree with the target `bench`. All sizes are divided by SCALE
(default: 1, which takes 4 GB of temporary files). Prints a JSON object per case: seconds, peak memory in MB,
and the bar that it should meet.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1]).resolve() / "bin"
scale = int(sys.argv[2]) if len(sys.argv) > 2 else 1


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


def say(case, seconds, memory, bar=None):
    print(json.dumps({"case": case, "seconds": round(seconds, 3),
                      "peak_mb": round(memory), "bar_seconds": bar}))


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
    wide = make(folder / "wide.tprof", 100_000 // scale, 16, 0)
    size = wide.stat().st_size / 1e6
    seconds, memory = best(3, report, "summary", wide, "--limit=20")
    say(f"summary of {100_000 // scale} sites x 16 threads, {size:.0f} MB",
        seconds, memory, 2)
    seconds, memory = best(
        2, report, "summary", wide, "--limit=20", "--columns=name,p50_ns,p99_ns"
    )
    say("the same with percentiles", seconds, memory)

    for count in (1_000_000 // scale, 10_000_000 // scale):
        trace = make(folder / f"trace{count}.tprof", 112, 4, count)
        out = folder / "trace.json"
        seconds, memory = run(
            report, "export", "--to=chrome", trace, "-o", out
        )
        written = out.stat().st_size / 1e6
        read = trace.stat().st_size / 1e6
        say(f"chrome JSON of {count} events, {written:.0f} MB written, "
            f"{read:.0f} MB of the memory is the mapped file",
            seconds, memory, written / 100)
        out.unlink()

    files = [
        make(folder / f"small{seed}.tprof", 112, 1, 0, seed)
        for seed in range(1000 // scale)
    ]
    # Ten thousand of them: each file ten times.
    for count in (10 // min(10, scale), len(files), 10 * len(files)):
        seconds, memory = run(
            report, "merge", *(files * 10)[:count], "-o", folder / "merged.tprof"
        )
        say(f"merge of {count} profiles of 112 sites", seconds, memory,
            5 if count == len(files) else None)


with tempfile.TemporaryDirectory() as temporary:
    main(pathlib.Path(temporary))
