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

With --grad-only, for large models that have gradients: outputs, buffers and first
derivatives of three calls with grad, on smaller images, compared by digests, and the
number of differentiable groups. LibTorch profiles the first call, makes groups for
the second and keeps them for the third. A model that differs from itself in a second
process alone is no failure, and is counted.

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

RUNS, GRAD_ONLY_RUNS = 4, 3
KINDS = ("alone", "attached", "file-attached")
#: Their weights fix the size of the image, or their last layers need the whole of it.
FIXED_IMAGES = ("vit_small", "maxvit_t", "inception_v3")
#: Minutes with the BLAS of Debian's LibTorch, seconds with others'.
SLOW_IN_1 = ("maxvit_t",)


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


def grad_only_run(module, entry, call, folder, seed):
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


def snapshot(path):
    if os.path.exists(path):
        os.unlink(path)
    torch.ops.torchprof.snapshot(path)
    torch.ops.torchprof.reset()


def seen_path(arguments, entry, kind):
    return os.path.join(arguments.work, "%s.%s.seen" % (entry["name"], kind))


def file_of(arguments, entry):
    """An instrumented file: one that check_zoo.py kept, or made here."""
    if arguments.files:
        return os.path.join(arguments.files, entry["name"] + "_instr.pt")
    return os.path.join(arguments.work, entry["name"] + ".instr.pt")


def behave(arguments):
    """The part of one process: runs each model and writes what it saw."""
    profile = os.environ.get("TORCHPROF_FILE")
    if arguments.grad_only:
        # With two, gradients of LibTorch 2.13 differ from process to process.
        torch.set_num_threads(1)
    for entry in arguments.entries:
        name = entry["name"]
        path = os.path.join(arguments.models, name + ".pt")
        if arguments.instrumented:
            path = file_of(arguments, entry)
            if not os.path.exists(path):
                continue
        if arguments.grad_only:
            module = torch.jit.load(path)
            torch.save({"runs": [
                grad_only_run(module, entry, call, arguments.models, seed)
                for call in entry["calls"] for seed in range(GRAD_ONLY_RUNS)]},
                seen_path(arguments, entry, arguments.behave))
            if profile:
                snapshot(profile_of(arguments, name, arguments.behave, True))
            continue
        seen, texts = [], []
        for grad in (False, True):
            module = torch.jit.load(path)
            for call in entry["calls"]:
                for seed in range(RUNS):
                    seen.append(one_run(module, call, arguments.models, seed,
                                        grad))
            if profile:
                snapshot(profile_of(arguments, name, arguments.behave, grad))
            if not arguments.instrumented:
                texts.append({"texts": texts_of(module),
                              "saved": saved(
                                  module, "asynchronous" in entry["properties"])})
        torch.save({"runs": seen, "texts": texts},
                   seen_path(arguments, entry, arguments.behave))


# --- outside ----------------------------------------------------------------


def process(arguments, kind, *words, **environment):
    command = [sys.executable, "-W", "ignore", os.path.abspath(__file__),
               arguments.models, arguments.work, "--behave", kind,
               "--preload", arguments.preload, *words, "--only",
               *[entry["name"] for entry in arguments.entries]]
    if arguments.grad_only:
        command += ["--grad-only"]
    if arguments.files:
        command += ["--files", arguments.files]
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


def rows_of(path):
    """{(kind, key): calls}"""
    done = subprocess.run(
        ["torchprof-report", "summary", path, "--format=json", "--limit=0",
         "--columns=kind,key,calls"],
        stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return {(row["kind"], row["key"]): row["calls"]
            for row in json.loads(done.stdout)["rows"]}


def compare_rows(arguments, entry, totals):
    """Differences of what was recorded of the model from what was of its file, both
    attached; and whether it was recorded at all."""
    attached, file = [rows_of(profile_of(arguments, entry["name"], kind, True))
                      for kind in ("attached", "file-attached")]
    for rows in attached, file:
        calls = [rows[row] for row in rows if row[0] == "method"]
        if calls != [GRAD_ONLY_RUNS * len(entry["calls"])]:
            yield "calls of methods recorded: %s" % calls
    for key in sorted(set(attached) | set(file)):
        count(totals, "sites")
        if attached.get(key) != file.get(key):
            count(totals, "other counts")
            print("  %s %s: %s calls in the file, %s attached" % (
                *key, file.get(key), attached.get(key)))


def differs_alone(arguments, entry):
    """Where a model differs between two processes without torchprof, or None."""
    only = argparse.Namespace(**dict(vars(arguments), entries=[entry]))
    process(only, "again")
    return first_difference(*[torch.load(seen_path(arguments, entry, kind))
                              for kind in ("alone", "again")])


def selected(arguments):
    """The entries of the zoo's index that are to run."""
    with open(os.path.join(arguments.models, "zoo.json")) as file:
        entries = json.load(file)
    entries = [entry for entry in entries
               if (not arguments.group or entry["group"] == arguments.group)
               and (not arguments.only or entry["name"] in arguments.only)]
    part, parts = map(int, arguments.part.split("/"))
    entries = [entry for entry in entries[part - 1::parts]
               if entry["calls"] and "custom-op" not in entry["properties"]]
    if arguments.grad_only:
        slow = SLOW_IN_1 if torch.__version__.startswith("1.") else ()
        entries = [entry for entry in entries if entry["name"] not in slow
                   and "quantized" not in entry["properties"]]
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", help="folder that make.py --all filled")
    parser.add_argument("work", help="folder for what is made here")
    parser.add_argument("--preload", required=True)
    parser.add_argument("--fork-server")
    parser.add_argument("--group", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--part", metavar="K/N", default="1/1",
                        help="the K-th of N parts of the models")
    parser.add_argument("--grad-only", action="store_true")
    parser.add_argument("--files", metavar="FOLDER", help="where check_zoo.py "
                        "--keep left instrumented files (default: make them)")
    parser.add_argument("--behave", help=argparse.SUPPRESS)
    parser.add_argument("--instrumented", action="store_true",
                        help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    arguments.entries = selected(arguments)
    if arguments.behave:
        runtime = os.path.join(os.path.dirname(arguments.preload),
                               "libtorchprof_runtime.so")
        if "TORCHPROF_FILE" in os.environ:
            torch.ops.load_library(runtime)
        return behave(arguments)

    if not arguments.files:
        opt = ForkServer("torchprof-opt", arguments.fork_server,
                         os.path.join(arguments.work, "opt.log"))
        for entry in arguments.entries:
            path = os.path.join(arguments.models, entry["name"] + ".pt")
            opt("--quiet", "--instrument", path, "-o", file_of(arguments, entry))
        opt.close()
    process(arguments, "alone")
    log = process(arguments, "attached", LD_PRELOAD=arguments.preload,
                  TORCHPROF_FILE=os.path.join(arguments.work, "a-%p.tprof"))
    if not arguments.grad_only:
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
            path = seen_path(arguments, entry, kind)
            seen[kind] = torch.load(path) if os.path.exists(path) else None
        found = [first_difference(seen["alone"], seen["attached"])]
        if seen["file-attached"]:
            found.append(first_difference(without_plans(seen["alone"]),
                                          without_plans(seen["file-attached"]),
                                          "file"))
        if arguments.grad_only:
            found += compare_rows(arguments, entry, totals)
        else:
            for kind in ("attached", "file-attached"):
                for grad in (False, True):
                    found += compare_sites(arguments, entry, kind, grad, totals)
        found = [text for text in found if text]
        if arguments.grad_only:
            alone = found and differs_alone(arguments, entry)
            if alone:
                print("%s: differs from itself: %s" % (entry["name"], alone))
                count(totals, "unstable")
                continue
            count(totals, "groups", seen["alone"]["runs"][-1]["groups"])
            count(totals, "derivatives", len(seen["alone"]["runs"][-1]["derivatives"]))
        failures += bool(found)
        print("%s: %s" % (entry["name"], "FAILED: " + "; ".join(found) if found
                          else "%d runs" % len(seen["alone"]["runs"])))
    print("%d models, %d sites, %d with other counts, %d failures" % (
        len(arguments.entries), totals.get("sites", 0),
        totals.get("other counts", 0), failures))
    if arguments.grad_only:
        print("%d derivatives of each call, %d differentiable groups, %d models "
              "that differ from themselves" % (
                  totals.get("derivatives", 0), totals.get("groups", 0),
                  totals.get("unstable", 0)))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
