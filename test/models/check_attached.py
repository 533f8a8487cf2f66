#!/usr/bin/env python3
"""Runs the models of the zoo in processes of their own: alone, attached, as
instrumented files, and as such in an attached process; and checks that

  - attaching changes nothing: outputs, changed inputs, texts of exceptions,
    first and second derivatives by parameters and by inputs, code and graphs,
    the optimized plans and what is saved are those of the process alone, bit
    for bit, in every call, without grad and with
  - so does an instrumented file in an attached process, but for its code
  - attached processes record the sites that the file has, under one id, and
    count the calls of each as often as the file's process does

Prints a line per model and one in the end; exit code 1 with a failure.
"""

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import time

import torch

import specs
from check_zoo import copy_of, same
from forkserver import ForkServer

RUNS = 4
KINDS = ("alone", "attached", "file-attached")


# --- in the processes -------------------------------------------------------


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    if isinstance(value, dict):
        return tensors_in(list(value.values()))
    return []


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


def one_run(module, call, folder, seed, grad):
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
    # With forks, which graph was executed last is a matter of threads.
    graph = str(module._c._get_method(call["method"]).graph)
    if "exception" not in seen and "prim::fork" not in graph:
        seen["plan"] = renumbered(
            str(torch._C._last_executed_optimized_graph()))
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
        time.sleep(0.5)
    archive = io.BytesIO()
    try:
        torch.jit.save(module, archive)
    except Exception as error:
        return str(error)
    return hashlib.sha256(archive.getvalue()).hexdigest()


def profile_of(arguments, name, kind, grad):
    return os.path.join(arguments.work, "%s.%s%s.tprof" % (
        name, kind, ".grad" if grad else ""))


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
                    seen.append(one_run(module, call, arguments.models, seed,
                                        grad))
            if profile:
                control = torch.ops.torchprof
                file = profile_of(arguments, name, arguments.behave, grad)
                if os.path.exists(file):
                    os.unlink(file)
                control.snapshot(file)
                control.reset()
            if not arguments.instrumented:
                texts.append({"texts": texts_of(module),
                              "saved": saved(
                                  module, "asynchronous" in entry["properties"])})
        torch.save({"runs": seen, "texts": texts}, os.path.join(arguments.work, "%s.%s.seen" % (
            name, arguments.behave)))


# --- outside ----------------------------------------------------------------


def process(arguments, kind, *words, **environment):
    command = [sys.executable, "-W", "ignore", os.path.abspath(__file__),
               arguments.models, arguments.work, "--behave", kind,
               "--preload", arguments.preload, *words]
    if arguments.only:
        command += ["--only", *arguments.only]
    if arguments.group:
        command += ["--group", arguments.group]
    done = subprocess.run(command, env=dict(os.environ, **environment),
                          stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        sys.exit("%s: exit code %d\n%s" % (kind, done.returncode, done.stderr))
    return done.stderr


def first_difference(a, b, where=""):
    """Where two observations differ, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                return "%s.%s" % (where, key)
            found = first_difference(a[key], b[key], "%s.%s" % (where, key))
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (one, other) in enumerate(zip(a, b)):
            found = first_difference(one, other, "%s[%d]" % (where, index))
            if found:
                return found
        return None
    return None if same(a, b) else where


def without_plans(seen):
    """What an instrumented file has in common with the original: its plans have
    other names and places in the source."""
    return [{key: run[key] for key in run if key not in ("plan", "exception")}
            for run in seen["runs"]]


def read_profile(path):
    """{model id: {site: (kind, name, module, flags, calls)}}"""
    done = subprocess.run(["torchprof-report", "convert", "--to=json", path],
                          stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        return {}
    document = json.loads(done.stdout)
    models = {}
    for model in document["models"]:
        counts = {}
        for lane in document["lanes"]:
            for cell in lane["cells"]:
                index = cell["slot"] - model["first_slot"]
                counts[index] = counts.get(index, 0) + cell["count"]
        models[model["id"]] = {
            index: (site, counts.get(index, 0))
            for index, site in enumerate(model["sites"])}
    return models


def count(totals, key, number=1):
    totals[key] = totals.get(key, 0) + number


def compare_sites(arguments, entry, kind, grad, totals):
    """Differences of an attached process's counts from the file's."""
    paths = [profile_of(arguments, entry["name"], part, grad)
             for part in ("file", kind)]
    if not all(map(os.path.exists, paths)):
        return
    file, attached = map(read_profile, paths)
    for model, sites in file.items():
        if not any(calls for _, calls in sites.values()):
            continue
        if model not in attached:
            yield "model %s of the file is not known when %s: %s" % (
                model, kind, ", ".join(map(str, attached)) or "none")
            continue
        for index, (site, calls) in sites.items():
            _, found = attached[model][index]
            count(totals, "sites")
            if found != calls:
                count(totals, "other counts")
                print("  %s %s: %d calls in the file, %d %s%s" % (
                    site["kind"], site["name"], calls, found, kind,
                    " with grad" if grad else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", help="folder that make.py --all filled")
    parser.add_argument("work", help="folder for what is made here")
    parser.add_argument("--preload", required=True)
    parser.add_argument("--fork-server")
    parser.add_argument("--group", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--behave", help=argparse.SUPPRESS)
    parser.add_argument("--instrumented", action="store_true",
                        help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    with open(os.path.join(arguments.models, "zoo.json")) as file:
        entries = json.load(file)
    arguments.entries = [
        entry for entry in entries
        if entry["calls"] and "custom-op" not in entry["properties"]
        and (not arguments.group or entry["group"] == arguments.group)
        and (not arguments.only or entry["name"] in arguments.only)]
    if arguments.behave:
        runtime = os.path.join(os.path.dirname(arguments.preload),
                               "libtorchprof_runtime.so")
        if "TORCHPROF_FILE" in os.environ:
            torch.ops.load_library(runtime)
        return behave(arguments)

    opt = ForkServer("torchprof-opt", arguments.fork_server,
                     os.path.join(arguments.work, "opt.log"))
    for entry in arguments.entries:
        path = os.path.join(arguments.models, entry["name"] + ".pt")
        opt("--quiet", "--instrument", path, "-o",
            os.path.join(arguments.work, entry["name"] + ".instr.pt"))
    opt.close()
    process(arguments, "alone")
    log = process(arguments, "attached", LD_PRELOAD=arguments.preload,
                  TORCHPROF_FILE=os.path.join(arguments.work, "a-%p.tprof"))
    process(arguments, "file", "--instrumented",
            TORCHPROF_FILE=os.path.join(arguments.work, "f-%p.tprof"))
    log += process(arguments, "file-attached", "--instrumented",
                   LD_PRELOAD=arguments.preload,
                   TORCHPROF_FILE=os.path.join(arguments.work, "g-%p.tprof"))
    for line in log.splitlines():
        if line.startswith("torchprof:"):
            print(line)
    totals, failures = {}, 0
    for entry in arguments.entries:
        seen = {}
        for kind in KINDS:
            path = os.path.join(arguments.work,
                                "%s.%s.seen" % (entry["name"], kind))
            seen[kind] = torch.load(path) if os.path.exists(path) else None
        found = [first_difference(seen["alone"], seen["attached"])]
        if seen["file-attached"]:
            found.append(first_difference(without_plans(seen["alone"]),
                                          without_plans(seen["file-attached"]),
                                          "file"))
        for kind in ("attached", "file-attached"):
            for grad in (False, True):
                found += compare_sites(arguments, entry, kind, grad, totals)
        found = [text for text in found if text]
        failures += bool(found)
        print("%s: %s" % (entry["name"], "FAILED: " + "; ".join(found) if found
                          else "%d runs" % len(seen["alone"]["runs"])))
    print("%d models, %d sites, %d with other counts, %d failures" % (
        len(arguments.entries), totals.get("sites", 0),
        totals.get("other counts", 0), failures))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
