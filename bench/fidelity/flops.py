#!/usr/bin/env python3
"""Whether models compute what torchprof says.

  flops.py ZOO WORK --build BUILD [--only NAME...]

ZOO is a folder that test/models/make.py filled. Each model runs in a process that
torchprof is attached to, and torch.utils.flop_counter counts the same call. Prints
a JSON object per model: the floating-point operations that each of the two saw, by
operator where they differ, and the operators for which torchprof has no number.
"""

import json

import torch

import zoo


def work(arguments):
    """In the attached process: what flop_counter saw of one call."""
    from torch.utils import flop_counter  # not there with every LibTorch
    with torch.no_grad():
        run = zoo.warm_call(arguments)
        with flop_counter.FlopCounterMode(display=False) as counter:
            run()
    seen = counter.get_flop_counts().get("Global", {})
    # "aten.mm" here is "aten::mm" in a graph.
    print(json.dumps([
        {str(operator).replace(".", "::"): flops
         for operator, flops in seen.items()},
        [str(operator).replace(".", "::")
         for operator in flop_counter.flop_registry]]))


def measure(arguments, entry, call):
    (theirs, registry), rows = zoo.attached(
        arguments, __file__, entry, call, "shapes", "--group-by=shape",
        "--columns=kind,name,calls,flops")
    ours, unknown = {}, set()
    for row in rows:
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


if __name__ == "__main__":
    zoo.main(__doc__, work, measure)
