#!/usr/bin/env python3
"""Whether large models of the zoo have the gradients that they have without torchprof:
outputs, buffers and first derivatives of three calls with grad, and the number of
differentiable groups, alone, attached, and of the instrumented file in an attached
process, bit for bit. LibTorch profiles the first call, makes groups for the second
and keeps them for the third. Images are of half the size, and digests are compared.

A model that differs from itself in a second process alone is no failure, and is
counted. Each attached process must have recorded the calls; sites whose calls differ
are listed.

Prints a line per model and two in the end; exit code 1 with a failure.
"""

import argparse
import hashlib
import os
import re
import sys

import torch

import forks
import specs
from check_zoo import KEPT
from observed import (all_seen, compare_sites, count, differences, first_difference,
                      parsed, process, profile_of, read_profile, report,
                      report_totals, seen_path, snapshot, tensors_in)

RUNS = 3
KINDS = ("alone", "attached", "file-attached")
#: Their weights fix the size of the image, or their last layers need the whole of it.
FIXED_IMAGES = ("vit_small", "maxvit_t", "inception_v3")
#: LibTorch 1.13 takes a minute for its 145 differentiable groups.
SLOW_IN_1 = ("maxvit_t",)


# --- in the processes -------------------------------------------------------


def digest(tensor):
    """Of a tensor's bytes, dtype and shape."""
    if tensor is None:
        return None
    tensor = tensor.detach().contiguous()
    return "%s%s %s" % (tensor.dtype, list(tensor.shape),
                        hashlib.sha1(tensor.numpy()).hexdigest())


def smaller(spec):
    """An image or clip of half the height and width."""
    return re.sub(r"(\d+),(\d+)\]$", lambda found: "%d,%d]" % (
        int(found.group(1)) // 2, int(found.group(2)) // 2), spec)


def one_run(module, entry, call, folder, seed):
    """What a caller sees of a call and of its backward, as digests; the derivatives
    by the names of the parameters."""
    torch.manual_seed(seed)
    specs_of_call = call["inputs"]
    if entry["name"] not in FIXED_IMAGES:
        specs_of_call = list(map(smaller, specs_of_call))
    values = specs.arguments(specs_of_call, folder)
    leaves = {"input %d" % index: value.requires_grad_()
              for index, value in enumerate(values)}
    leaves.update((name, parameter) for name, parameter
                  in module.named_parameters() if parameter.requires_grad)
    result = getattr(module, call["method"])(*values)
    plan = torch._C._last_executed_optimized_graph()
    ends = tensors_in(result)
    seen = {"result": list(map(digest, ends)),
            "groups": len(plan.findAllNodes("prim::DifferentiableGraph"))}
    found = torch.autograd.grad(sum((end * end).sum() for end in ends),
                                list(leaves.values()), allow_unused=True)
    seen["derivatives"] = dict(zip(leaves, map(digest, found)))
    seen["buffers"] = {name: digest(buffer)
                       for name, buffer in module.named_buffers()}
    return seen


def behave(arguments):
    """The part of one process: runs each model and writes what it saw."""
    # With two, gradients of LibTorch 2.13 differ from process to process.
    torch.set_num_threads(1)
    for entry in arguments.entries:
        folder, end = (arguments.files, KEPT) if arguments.instrumented else (
            arguments.models, ".pt")
        module = torch.jit.load(os.path.join(folder, entry["name"] + end))
        torch.save({"runs": [one_run(module, entry, call, arguments.models, seed)
                             for call in entry["calls"] for seed in range(RUNS)]},
                   seen_path(arguments, entry, arguments.behave))
        if "TORCHPROF_FILE" in os.environ:
            snapshot(profile_of(arguments, entry["name"], arguments.behave, True))
    forks.rest()


# --- outside ----------------------------------------------------------------


def run(arguments, kind, *words, **environment):
    # What all processes are preloaded with stays.
    inherited = os.environ.get("LD_PRELOAD")
    if inherited and "LD_PRELOAD" in environment:
        environment["LD_PRELOAD"] += ":" + inherited
    process(__file__, arguments, kind, "--files", arguments.files, *words,
            **environment)


def not_recorded(arguments, entry):
    """What of the calls an attached process has not recorded."""
    for kind in KINDS[1:]:
        # Models that ran before are known, and were not called since.
        calls = [calls for sites in read_profile(profile_of(
                     arguments, entry["name"], kind, True)).values()
                 for site, calls in sites.values()
                 if site["kind"] == "method" and calls]
        if calls != [RUNS * len(entry["calls"])]:
            yield "calls of methods recorded when %s: %s" % (kind, calls)


def differs_alone(arguments, entry):
    """Where a model differs between two processes without torchprof, or None."""
    run(argparse.Namespace(**dict(vars(arguments), entries=[entry])), "again")
    return first_difference(*all_seen(arguments, entry, ("alone", "again")))


def can_run(entry):
    slow = SLOW_IN_1 if torch.__version__.startswith("1.") else ()
    return entry["name"] not in slow and "quantized" not in entry["properties"]


def main():
    arguments = parsed(__doc__, ("--files", {
        "required": True, "help": "folder with the instrumented files, as check_zoo.py "
        "--keep leaves them"}))
    arguments.entries = list(filter(can_run, arguments.entries))
    if arguments.behave:
        return behave(arguments)

    run(arguments, "alone")
    run(arguments, "attached", LD_PRELOAD=arguments.preload,
        TORCHPROF_FILE=os.path.join(arguments.work, "a-%p.tprof"))
    run(arguments, "file-attached", "--instrumented", LD_PRELOAD=arguments.preload,
        TORCHPROF_FILE=os.path.join(arguments.work, "g-%p.tprof"))
    totals, failures = {}, 0
    for entry in arguments.entries:
        seen = all_seen(arguments, entry, KINDS)
        found = differences(*seen)
        alone = found and differs_alone(arguments, entry)
        if alone:
            print("%s: differs from itself: %s" % (entry["name"], alone))
            count(totals, "unstable")
            found = []
        else:
            count(totals, "groups", seen[0]["runs"][-1]["groups"])
            count(totals, "derivatives", len(seen[0]["runs"][-1]["derivatives"]))
        found += not_recorded(arguments, entry)
        found += compare_sites(arguments, entry, "file-attached", "attached", True,
                               totals)
        failures += report(entry, seen[0], found)
    report_totals(arguments, totals, failures)
    print("%d derivatives of each call, %d differentiable groups, %d models that differ "
          "from themselves" % (totals.get("derivatives", 0), totals.get("groups", 0),
                               totals.get("unstable", 0)))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
