#!/usr/bin/env python3
"""Whether models compute what torchprof says.

  flops.py ZOO WORK --build BUILD [--only NAME...]

ZOO is a folder that test/models/make.py filled. Each model runs in a process that
torchprof is attached to, and torch.utils.flop_counter counts the same call. Prints
a JSON object per model: the floating-point operations that each of the two saw, by
operator where they differ, and the operators for which torchprof has no number.
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
    """In the attached process: what flop_counter saw of one call."""
    try:
        import torchvision  # the operators that some models need
    except ImportError:
        pass
    try:
        from torch.utils import flop_counter
    except ImportError:
        sys.exit("Error: torch %s has no flop_counter" % torch.__version__)
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
        with flop_counter.FlopCounterMode(display=False) as counter:
            method(*values)
    seen = counter.get_flop_counts().get("Global", {})
    # "aten.mm" here is "aten::mm" in a graph.
    print(json.dumps([
        {str(operator).replace(".", "::"): flops
         for operator, flops in seen.items()},
        [str(operator).replace(".", "::")
         for operator in flop_counter.flop_registry]]))


def measure(arguments, entry, call):
    profile = os.path.join(arguments.work, "flops.tprof")
    if os.path.exists(profile):
        os.unlink(profile)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, arguments.zoo, arguments.work,
         "--inside", json.dumps(dict(call, model=entry["name"]))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, TORCHPROF_FILE=profile, TORCHPROF_RECORD="shapes",
                 LD_PRELOAD=os.path.join(arguments.build, "lib",
                                         "libtorchprof_preload.so")))
    if done.returncode:
        cause = done.stderr.split("Error:")[-1].strip().split("\n")[0]
        raise RuntimeError(cause)
    theirs, registry = json.loads(done.stdout.strip().split("\n")[-1])
    report = subprocess.run(
        [os.path.join(arguments.build, "bin", "torchprof-report"), "summary",
         profile, "--group-by=shape", "--format=json", "--limit=0",
         "--columns=kind,name,calls,flops"],
        check=True, stdout=subprocess.PIPE, universal_newlines=True)
    ours, unknown = {}, set()
    for row in json.loads(report.stdout)["rows"]:
        if "::" not in row["kind"]:  # a method, which is not itself work
            continue
        if row["flops"] is None:
            unknown.add(row["kind"])
        elif row["flops"]:
            ours[row["kind"]] = ours.get(row["kind"], 0) + row["flops"]
    result = {"model": entry["name"], "flops": sum(ours.values()),
              "flop_counter": sum(theirs.values())}
    if result["flops"] != result["flop_counter"]:
        result.update(flops_of=ours, flop_counter_of=theirs)
    result.update(unknown=sorted(unknown),
                  unknown_but_to_flop_counter=sorted(unknown.intersection(registry)))
    return result


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
