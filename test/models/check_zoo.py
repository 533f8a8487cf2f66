#!/usr/bin/env python3
"""Instruments, runs and strips the models of the zoo, and checks that

  - outputs and changed inputs equal the original's bit for bit, and so do
    gradients in training mode without LibTorch's optimizer
  - what was counted is what the instrumented graph says: sites of one block
    have one count, the arms of an If add up to it, roots count the calls
  - stripping gives the original's code back, and instrumenting that gives
    the same sites

Prints a line per failure and one per model; exit code 1 with a failure.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import torch

import specs

RUNS = 3


class Failure(Exception):
    pass


def expect(condition, text, *values):
    if not condition:
        raise Failure(text % values)


def tool(*arguments):
    done = subprocess.run(
        [str(argument) for argument in arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    expect(done.returncode == 0, "%s: %s", " ".join(done.args), done.stderr)
    return done.stdout


# --- outputs ----------------------------------------------------------------


def same(a, b):
    """Bit for bit, in all containers; NaN equals NaN."""
    if isinstance(a, torch.Tensor):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.is_quantized:
            return torch.equal(a.int_repr(), b.int_repr())
        if a.is_floating_point() or a.is_complex():
            nan = torch.isnan(a)
            return torch.equal(nan, torch.isnan(b)) and torch.equal(
                a.masked_fill(nan, 0), b.masked_fill(nan, 0)
            )
        return torch.equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def run(module, call, folder, seed):
    """(result or None if it raised, arguments afterwards)"""
    torch.manual_seed(seed)
    values = specs.arguments(call["inputs"], folder)
    method = call["method"]
    function = module if method == "forward" else getattr(module, method)
    try:
        result = function(*values)
    except Exception as error:
        if not call["raises"]:
            raise Failure("%s raised %s" % (method, error))
        return None, values
    expect(not call["raises"], "%s did not raise", method)
    return result, values


def compare_outputs(original, instrumented, entry, folder):
    for call in entry["calls"]:
        for seed in range(RUNS):
            with torch.no_grad():
                wanted = run(original, call, folder, seed)
                found = run(instrumented, call, folder, seed)
            expect(same(wanted[0], found[0]), "%s%s: outputs differ",
                   call["method"], call["inputs"])
            expect(same(wanted[1], found[1]), "%s%s: changed inputs differ",
                   call["method"], call["inputs"])
    wanted, found = original.state_dict(), instrumented.state_dict()
    for name in wanted:
        expect(same(wanted[name], found[name]), "state %s differs", name)


def gradients(path, call, folder):
    module = torch.jit.load(path)
    with torch.jit.optimized_execution(False):
        result, _ = run(module, call, folder, 0)
        result.sum().backward()
    return {name: p.grad for name, p in module.named_parameters()}


# --- counts -----------------------------------------------------------------


def sites_of(block):
    """Indices of the sites that begin directly in a block, with the node
    that each pair measures."""
    nodes = list(block.nodes())
    found = []
    for position, node in enumerate(nodes):
        if node.kind() in ("torchprof::begin", "torchprof::enter"):
            site = list(node.inputs())[-1].toIValue()
            if isinstance(site, int):
                inner = nodes[position + 1] if position + 1 < len(nodes) else None
                found.append((site & 0xFFFFF, node.kind(), inner))
    return found


def blocks_of(node):
    return [] if node is None else list(node.blocks())


def check_block(block, count_of, exact):
    """Sites of one block count alike; the arms of an If add up."""
    sites = [site for site, kind, _ in sites_of(block)
             if kind == "torchprof::begin"]
    counts = {count_of.get(site, 0) for site in sites}
    if exact:
        expect(len(counts) <= 1, "sites %s of one block have counts %s",
               sites, sorted(counts))
    for site, _, node in sites_of(block):
        if exact and node is not None and node.kind() == "prim::If":
            arms = [max((count_of.get(inner, 0)
                         for inner, _, _ in sites_of(arm)), default=None)
                    for arm in blocks_of(node)]
            if None not in arms:
                expect(sum(arms) == count_of.get(site, 0),
                       "arms of If %d: %s of %d", site, arms,
                       count_of.get(site, 0))
    for node in block.nodes():
        for inner in node.blocks():
            check_block(inner, count_of, exact)


def counts_in(profile, model_id):
    """Spans recorded per site index of one model."""
    document = json.loads(tool("torchprof-report", "convert", "--to=json",
                               profile))
    counts = {}
    for model in document["models"]:
        if model["id"] != model_id:
            continue
        for lane in document["lanes"]:
            for cell in lane["cells"]:
                index = cell["slot"] - model["first_slot"]
                if 0 <= index < len(model["sites"]):
                    counts[index] = counts.get(index, 0) + cell["count"]
    return counts


def check_counts(instrumented, entry, sites, counts, dropped):
    raising = any(call["raises"] for call in entry["calls"])
    exact = not raising and not dropped
    roots = {site["name"]: site["index"] for site in sites
             if site["kind"] == "method"}
    expected = {}
    for call in entry["calls"]:
        if not call["raises"]:
            name = call["method"]
            times = call.get("expected", 1) * RUNS
            expected[name] = expected.get(name, 0) + times
    if "interface" not in entry["properties"]:
        for name, count in expected.items():
            if name in roots:
                expect(counts.get(roots[name], 0) == count,
                       "root %s: %d calls, %d recorded", name, count,
                       counts.get(roots[name], 0))
    for name in roots:
        if instrumented._c._has_method(name):
            graph = instrumented._c._get_method(name).graph
            check_block(graph, counts, exact)


# --- strip ------------------------------------------------------------------


def code_of(module):
    """Text of every method of every submodule, and the names of its parts."""
    text = []
    for name, part in [("", module)] + list(module.named_modules()):
        for method in sorted(part._c._method_names()):
            text.append("%s.%s: %s" % (
                name, method, part._c._get_method(method).code))
        text.append("%s: %s" % (name, sorted(dir(part._c))))
    # Numbers that LibTorch adds to class names differ from load to load.
    return re.sub(r"___torch_mangle_\d+\.", "", "\n".join(text))


def check_strip(original, path, sites, work, options):
    stripped, again = work + "_stripped.pt", work + "_again.pt"
    tool("torchprof-opt", "--quiet", "--strip", path, "-o", stripped)
    wanted, found = code_of(original), code_of(torch.jit.load(stripped))
    if wanted != found:
        lines = zip(wanted.split("\n"), found.split("\n"))
        first = next((pair for pair in lines if pair[0] != pair[1]),
                     ("", "its length"))
        raise Failure("stripped code differs: expected %s, found %s" % first)
    tool("torchprof-opt", "--quiet", "--instrument", stripped, "-o", again,
         *options)
    expect(sites_text(again) == sites, "sites differ after strip")


def sites_text(path):
    return tool("torchprof-opt", "--print-sites", "--format=json", path)


# --- one model --------------------------------------------------------------


def check(entry, arguments, options):
    path = os.path.join(arguments.models, entry["name"] + ".pt")
    work = os.path.join(arguments.work, entry["name"])
    instrumented_path = work + "_instr.pt"
    command = ["torchprof-opt", "--quiet", "--instrument", path, "-o",
               instrumented_path] + options
    for hint in ("no-method", "custom-op"):
        if hint in entry["properties"]:
            done = subprocess.run(command, stderr=subprocess.PIPE)
            expect(done.returncode == 2, "%s: expected an error", hint)
            expect(b"torchprof-opt: error: " in done.stderr, "no error text")
            return 0
    tool(*command)
    text = sites_text(instrumented_path)
    table = json.loads(text)

    original = torch.jit.load(path)
    instrumented = torch.jit.load(instrumented_path)
    control = torch.ops.torchprof
    control.reset()
    dropped = control.stats().get("dropped_pairs", 0)
    compare_outputs(original, instrumented, entry, arguments.models)
    dropped = control.stats().get("dropped_pairs", 0) - dropped
    if entry["calls"]:
        profile = work + ".tprof"
        if os.path.exists(profile):
            os.unlink(profile)
        expect(control.snapshot(profile) == 0, "no snapshot")
        counts = counts_in(profile, table["model_id"])
        check_counts(instrumented, entry, table["sites"], counts, dropped)
    if "training" in entry["properties"]:
        wanted = gradients(path, entry["calls"][0], arguments.models)
        found = gradients(instrumented_path, entry["calls"][0],
                          arguments.models)
        expect(same(wanted, found), "gradients differ")
    if arguments.strip:
        check_strip(torch.jit.load(path), instrumented_path, text, work,
                    options)
    return len(table["sites"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", help="folder that make.py --all filled")
    parser.add_argument("work", help="folder for what is made here")
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--group", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--part", metavar="K/N", default="1/1",
                        help="the K-th of N parts of the models")
    parser.add_argument("--strip", action="store_true")
    arguments, options = parser.parse_known_args()

    os.makedirs(arguments.work, exist_ok=True)
    torch.ops.load_library(arguments.runtime)
    torch.ops.torchprof.set_option(
        "file", os.path.join(arguments.work, "process-%p.tprof"))
    with open(os.path.join(arguments.models, "zoo.json")) as file:
        entries = json.load(file)
    if arguments.group:
        entries = [e for e in entries if e["group"] == arguments.group]
    if arguments.only:
        entries = [e for e in entries if e["name"] in arguments.only]
    part, parts = map(int, arguments.part.split("/"))
    entries = entries[part - 1::parts]
    failures = sites = 0
    for entry in entries:
        try:
            made = check(entry, arguments, options)
            sites += made
            print("%s: %d sites" % (entry["name"], made), flush=True)
        except Failure as failure:
            failures += 1
            print("%s: FAILED: %s" % (entry["name"], failure), flush=True)
        for name in os.listdir(arguments.work):
            if name.startswith(entry["name"]) and name.endswith(".pt"):
                os.unlink(os.path.join(arguments.work, name))
    print("%d models, %d sites, %d failures" % (len(entries), sites, failures))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
