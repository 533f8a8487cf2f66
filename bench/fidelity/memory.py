#!/usr/bin/env python3
"""Whether tensors take what torchprof says.

  memory.py ZOO WORK --build BUILD [--only NAME...]

ZOO is a folder that test/models/make.py filled. Each model runs in a process that
torchprof is attached to, and once while torch.profiler records, too. Prints a JSON
object per model: the blocks and bytes that each of the two saw come, and go.
"""

import argparse
import json
import os
import subprocess
import sys

import torch

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "test", "models"))
import specs

WARM_CALLS = 3


def work(arguments):
    """In the attached process: what torch.profiler saw of one call."""
    try:
        import torchvision  # the operators that some models need
    except ImportError:
        pass
    call = json.loads(arguments.inside)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    module = torch.jit.load(os.path.join(arguments.zoo, call["model"] + ".pt"))
    method = getattr(module, call["method"])
    with torch.no_grad():
        for _ in range(WARM_CALLS):
            method(*specs.arguments(call["inputs"], arguments.zoo))
        values = specs.arguments(call["inputs"], arguments.zoo)
        torch.ops.torchprof.reset()
        with torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU],
                profile_memory=True) as profiler:
            result = method(*values)
    del result
    sizes = [event.nbytes()
             for event in profiler.profiler.kineto_results.events()
             if event.name() == "[memory]"]
    came = [size for size in sizes if size > 0]
    print(json.dumps([len(came), sum(came), sum(came) - sum(sizes)]))


def measure(arguments, entry, call):
    profile = os.path.join(arguments.work, "memory.tprof")
    if os.path.exists(profile):
        os.unlink(profile)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, arguments.zoo, arguments.work,
         "--inside", json.dumps(dict(call, model=entry["name"]))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, TORCHPROF_FILE=profile, TORCHPROF_RECORD="memory",
                 LD_PRELOAD=os.path.join(arguments.build, "lib",
                                         "libtorchprof_preload.so")))
    if done.returncode:
        cause = done.stderr.split("Error:")[-1].strip().split("\n")[0]
        raise RuntimeError(cause)
    theirs = json.loads(done.stdout.strip().split("\n")[-1])
    report = subprocess.run(
        [os.path.join(arguments.build, "bin", "torchprof-report"), "summary",
         profile, "--format=json", "--limit=0",
         "--columns=kind,name,allocs,alloc_bytes,freed_bytes"],
        check=True, stdout=subprocess.PIPE, universal_newlines=True)
    rows = json.loads(report.stdout)["rows"]
    # Methods that it calls through an interface have rows of their own.
    method = max((row for row in rows if row["kind"] == "method"
                  and row["name"] == call["method"]),
                 key=lambda row: row["alloc_bytes"])
    ours = [method[column] for column in ("allocs", "alloc_bytes", "freed_bytes")]
    names = ("blocks", "bytes", "freed")
    return dict([("model", entry["name"])] + list(zip(names, ours))
                + [("profiler_" + name, number)
                   for name, number in zip(names, theirs)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("zoo")
    parser.add_argument("work")
    parser.add_argument("--build")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return work(arguments)
    with open(os.path.join(arguments.zoo, "zoo.json")) as file:
        entries = json.load(file)
    for entry in entries:
        calls = [call for call in entry["calls"] if not call["raises"]]
        if arguments.only and entry["name"] not in arguments.only:
            continue
        if not calls or "asynchronous" in entry["properties"]:
            continue
        try:
            row = measure(arguments, entry, calls[0])
        except RuntimeError as error:
            row = {"model": entry["name"],
                   "absent": str(error).replace(arguments.zoo, "")}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
