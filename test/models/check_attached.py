#!/usr/bin/env python3
"""Runs the models of the zoo in processes of their own: alone, attached, as
instrumented files, and as such in an attached process; and checks that

  - attaching changes nothing: outputs, changed inputs, texts of exceptions,
    first and second derivatives by parameters and by inputs, code and graphs,
    the optimized plans and what is saved are those of the process alone, bit
    for bit, in every call, without grad and with
  - so does an instrumented file in an attached process, but for its code; none of its
    probes is left in what runs
  - attached processes record the sites that the file has, under one id, and
    count the calls of each as often as the file's process does

Prints a line per model and one in the end; exit code 1 with a failure.
"""

import hashlib
import io
import os
import re
import sys

import torch

import forks
import specs
from forkserver import ForkServer
from observed import (all_seen, compare_sites, differences, parsed, process,
                      profile_of, report, report_totals, seen_path, snapshot,
                      tensors_in)

RUNS = 4
KINDS = ("alone", "attached", "file-attached")


# --- in the processes -------------------------------------------------------


def without_grad(value):
    """What torch.save can write and same() can compare."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return [without_grad(item) for item in value]
    if isinstance(value, dict):
        return {key: without_grad(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return value
    return str(type(value))


def derivatives(ends, leaves):
    """The first derivatives of the sum of all ends, and those of the sum of
    their squares, where there are any."""
    def by_leaves(values, **options):
        total = sum((value.abs() if value.is_complex() else value)
                    .double().sum() for value in values)
        return torch.autograd.grad(total, leaves, allow_unused=True, **options)

    first = by_leaves(ends, create_graph=True)
    squares = [value * value for value in first
               if value is not None and value.requires_grad]
    second = by_leaves(squares) if squares else []
    return [without_grad(list(values)) for values in (first, second)]


def renumbered(graph):
    """A graph's text with its values numbered in order. LibTorch's own numbers
    depend on where its nodes lie in memory: processes without torchprof, too,
    name a size in a DifferentiableGraph now so and now so."""
    numbers = {}
    return re.sub(r"%[\w.]+", lambda found: "%%%d" % numbers.setdefault(
        found.group(), len(numbers)), graph)


def plan_here(properties):
    """What LibTorch has made of the method that ran last."""
    text = str(torch._C._last_executed_optimized_graph())
    if "reordered" in properties:
        return sorted(re.findall(r"= (\w+::\w+)", text))
    return renumbered(text)


def one_run(module, entry, call, folder, seed, grad):
    """Everything that a caller sees of one call."""
    torch.manual_seed(seed)
    values = specs.arguments(call["inputs"], folder)
    if grad:
        for value in values:
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                value.requires_grad_()
        # What a model changes in place must not be a leaf.
        values = [value * 1 if isinstance(value, torch.Tensor)
                  and value.requires_grad else value for value in values]
    leaves = [value for value in values if isinstance(value, torch.Tensor)
              and value.requires_grad]
    leaves += list(module.parameters())
    seen = {}
    try:
        with torch.set_grad_enabled(grad):
            result = getattr(module, call["method"])(*values)
            seen["result"] = without_grad(result)
            if grad:
                ends = [t for t in tensors_in(result) if t.requires_grad]
                leaves = [leaf for leaf in leaves if leaf.requires_grad]
                if ends and leaves:
                    seen["derivatives"] = derivatives(ends, leaves)
    except Exception as error:
        seen["exception"] = str(error)
    seen["inputs"] = without_grad(values)
    seen["probes"] = re.findall(r"torchprof::(?:enter|begin)\b", str(
        torch._C._last_executed_optimized_graph()))
    # With forks, which graph was executed last is a matter of threads.
    graph = str(module._c._get_method(call["method"]).graph)
    if "exception" not in seen and "prim::fork" not in graph:
        seen["plan"] = plan_here(entry["properties"])
    return seen


def texts_of(module):
    texts = {}
    for name in module._c._method_names():
        method = module._c._get_method(name)
        texts[name] = [method.code, str(method.graph),
                       str(torch._C._jit_pass_inline(method.graph.copy())
                           or method.graph)]
    return texts


def saved(module, asynchronous):
    """A digest of the archive; some models cannot be saved again."""
    if asynchronous:
        # LibTorch writes a value in another way while a thread of its pool has
        # not yet let go of it.
        forks.rest()
    archive = io.BytesIO()
    try:
        torch.jit.save(module, archive)
    except Exception as error:
        return str(error)
    return hashlib.sha256(archive.getvalue()).hexdigest()


def behave(arguments):
    """The part of one process: runs each model and writes what it saw."""
    profile = os.environ.get("TORCHPROF_FILE")
    for entry in arguments.entries:
        name = entry["name"]
        path = os.path.join(arguments.models, name + ".pt")
        if arguments.instrumented:
            path = os.path.join(arguments.work, name + ".instr.pt")
            if not os.path.exists(path):
                continue
        seen, texts = [], []
        for grad in (False, True):
            module = torch.jit.load(path)
            for call in entry["calls"]:
                for seed in range(RUNS):
                    seen.append(one_run(module, entry, call, arguments.models,
                                        seed, grad))
            if profile:
                snapshot(profile_of(arguments, name, arguments.behave, grad))
            if not arguments.instrumented:
                texts.append({"texts": texts_of(module),
                              "saved": saved(
                                  module, "asynchronous" in entry["properties"])})
        torch.save({"runs": seen, "texts": texts},
                   seen_path(arguments, entry, arguments.behave))


# --- outside ----------------------------------------------------------------


def main():
    arguments = parsed(__doc__, ("--fork-server", {}))
    if arguments.behave:
        return behave(arguments)

    opt = ForkServer("torchprof-opt", arguments.fork_server,
                     os.path.join(arguments.work, "opt.log"))
    for entry in arguments.entries:
        path = os.path.join(arguments.models, entry["name"] + ".pt")
        code, text = opt("--quiet", "--instrument", path, "-o",
                         os.path.join(arguments.work, entry["name"] + ".instr.pt"))
        if code != (2 if "no-method" in entry["properties"] else 0):
            sys.exit("%s: torchprof-opt: %d: %s" % (entry["name"], code, text))
    opt.close()
    process(__file__, arguments, "alone")
    process(__file__, arguments, "attached", LD_PRELOAD=arguments.preload,
            TORCHPROF_FILE=os.path.join(arguments.work, "a-%p.tprof"))
    process(__file__, arguments, "file", "--instrumented",
            TORCHPROF_FILE=os.path.join(arguments.work, "f-%p.tprof"))
    process(__file__, arguments, "file-attached", "--instrumented",
            LD_PRELOAD=arguments.preload,
            TORCHPROF_FILE=os.path.join(arguments.work, "g-%p.tprof"))
    totals, failures = {}, 0
    for entry in arguments.entries:
        seen = all_seen(arguments, entry, KINDS)
        found = differences(*seen)
        for kind in ("attached", "file-attached"):
            for grad in (False, True):
                found += compare_sites(arguments, entry, "file", kind, grad, totals)
        failures += report(entry, seen[0], found)
    report_totals(arguments, totals, failures)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
