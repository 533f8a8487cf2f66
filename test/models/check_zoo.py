#!/usr/bin/env python3
"""Instruments, runs and strips the models of the zoo, and checks that

  - outputs and changed inputs equal the original's bit for bit, and so do
    gradients in training mode without LibTorch's optimizer
  - what was counted is what the instrumented graph says: roots count the calls,
    sites directly in a method as many, sites of one block have one count, and the
    arms of an If add up to it; but for pairs that were dropped
  - stripping gives the original's code back, and in --sample instrumenting
    that gives the same sites

Each model is loaded and run once and compared with every variant, that is, with
what other options of torchprof-opt make of it. Prints a line per model and
variant, and one per variant; exit code 1 with a failure.
"""

import argparse
import functools
import json
import os
import pickletools
import re
import subprocess
import sys
import zipfile

import torch

import specs
from forkserver import ForkServer

RUNS = 3
KEPT = "_instr.pt"  # files that --keep leaves for check_gradients.py


class Failure(Exception):
    pass


def expect(condition, text, *values):
    if not condition:
        raise Failure(text % values)


server = None


def opt(*words):
    code, text = server(*words)
    expect(code == 0, "torchprof-opt %s: %s", " ".join(words), text)
    return text


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


def copy_of(value):
    """What a later run cannot change; equal by same()."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, (list, tuple)):
        return [copy_of(item) for item in value]
    if isinstance(value, dict):
        return {key: copy_of(item) for key, item in value.items()}
    return value


def run_all(module, entry, folder):
    """Results and changed inputs of every call, three times with seeds."""
    with torch.no_grad():
        return [copy_of(run(module, call, folder, seed))
                for call in entry["calls"] for seed in range(RUNS)]


class Original:
    """A model of the zoo and what it does."""

    def __init__(self, path, entry, folder):
        self.path = path
        self.module = torch.jit.load(path)
        self.results = run_all(self.module, entry, folder)
        self.state = copy_of(dict(self.module.state_dict()))
        self.gradients = None
        if "training" in entry["properties"]:
            self.gradients = gradients(path, entry["calls"][0], folder)


def compare_outputs(original, instrumented, entry, folder):
    calls = [call for call in entry["calls"] for _ in range(RUNS)]
    results = run_all(instrumented, entry, folder)
    equal = same
    if "products" in entry["properties"]:
        equal = functools.partial(torch.allclose, rtol=0, atol=1e-6)
    for call, wanted, found in zip(calls, original.results, results):
        expect(equal(wanted[0], found[0]), "%s%s: outputs differ",
               call["method"], call["inputs"])
        expect(same(wanted[1], found[1]), "%s%s: changed inputs differ",
               call["method"], call["inputs"])
    state = instrumented.state_dict()
    for name in original.state:
        expect(same(original.state[name], state[name]), "state %s differs", name)


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


def instrumented_graphs(module):
    """{name of a method: its graph}"""
    names = [name for name in module._c._method_names()]
    graphs = {name: module._c._get_method(name).graph for name in names}
    return {name: graph for name, graph in graphs.items()
            if graph.findNode("torchprof::enter")}


def root_of(graph):
    """(model id, index of the root's site)"""
    site = list(graph.findNode("torchprof::enter").inputs())[-1].toIValue()
    return site >> 20 & (1 << 44) - 1, site & 0xFFFFF


def blocks_of(node):
    return [] if node is None else list(node.blocks())


def check_block(block, count_of, wanted, fewer):
    """Sites of one block count alike, and the arms of an If add up to that: WANTED, or if
    that is None, as inside of loops, the most that one has. More is a failure; FEWER gets
    what has less."""
    sites = sites_of(block)
    counts = {"site %d" % site: count_of.get(site, 0)
              for site, kind, _ in sites if kind == "torchprof::begin"}
    for site, _, node in sites:
        if node is not None and node.kind() == "prim::If":
            arms = [max((count_of.get(inner, 0)
                         for inner, _, _ in sites_of(arm)), default=None)
                    for arm in blocks_of(node)]
            if None not in arms:
                counts["arms of If %d" % site] = sum(arms)
    if wanted is None:
        wanted = max(counts.values(), default=0)
    for what, found in counts.items():
        text = "%s: expected %d, found %d" % (what, wanted, found)
        expect(found <= wanted, text)
        if found < wanted:
            fewer.append(text)
    for node in block.nodes():
        for inner in node.blocks():
            check_block(inner, count_of, None, fewer)


def counts_in(profile, model_id):
    """Spans recorded per site index of one model."""
    done = subprocess.run(
        ["torchprof-report", "convert", "--to=json", profile],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    expect(done.returncode == 0, "torchprof-report: %s", done.stderr)
    document = json.loads(done.stdout)
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


def check_counts(graphs, entry, counts, dropped):
    expected = {}
    for call in entry["calls"]:
        if not call["raises"]:
            name = call["method"]
            times = call.get("expected", 1) * RUNS
            expected[name] = expected.get(name, 0) + times
    if "interface" not in entry["properties"]:
        for name, count in expected.items():
            if name in graphs:
                found = counts.get(root_of(graphs[name])[1], 0)
                expect(found == count, "root %s: %d calls, %d recorded", name,
                       count, found)
    if any(call["raises"] for call in entry["calls"]):
        return  # sites before the exception count more than the root
    # LibTorch's executor may remove the node of a pair, which then is dropped. Each plan
    # that lacks a pair has counted it.
    fewer = []
    for graph in graphs.values():
        check_block(graph, counts, counts.get(root_of(graph)[1], 0), fewer)
    expect(len(fewer) <= dropped, "%d pairs were dropped, but %d counts are too low: %s",
           dropped, len(fewer), "; ".join(fewer))


# --- strip ------------------------------------------------------------------


def code_of(module):
    """Text of every method of every submodule with the places in the source that
    its nodes come from, and the names of its parts."""
    text = []
    for name, part in [("", module)] + list(module.named_modules()):
        for method in sorted(part._c._method_names()):
            found = part._c._get_method(method)
            text.append("%s.%s: %s" % (name, method, found.code))
            text += re.findall(" # .*", str(found.graph))
        text.append("%s: %s" % (name, sorted(dir(part._c))))
    # Numbers that LibTorch adds to class names differ from load to load.
    return re.sub(r"___torch_mangle_\d+\.", "", "\n".join(text))


def manifest_of(path):
    """The text of an instrumented file's manifest."""
    archive = zipfile.ZipFile(path)
    name = next(n for n in archive.namelist() if n.endswith("/data.pkl"))
    for _, argument, _ in pickletools.genops(archive.read(name)):
        if isinstance(argument, str) and "torchprof-manifest" in argument:
            return argument
    raise Failure("no manifest in " + path)


def manifest_sites(path):
    """The manifest's text without the model's name, which is the file's, and
    without the checksum over both."""
    return [line for line in manifest_of(path).split("\n")
            if not line.startswith(("name ", "end "))]


def check_strip(original, path, work, instrument_again):
    """Sites follow from the code of all methods, its places in the source and the
    names of all parts. That instrumenting such a file gives the same ones is seen from
    a sample: it costs two loads of an instrumented file, which LibTorch 1.13 takes
    seconds for."""
    stripped, again = work + "_stripped.pt", work + "_again.pt"
    opt("--quiet", "--strip", path, "-o", stripped)
    wanted, found = code_of(original.module), code_of(torch.jit.load(stripped))
    if wanted != found:
        lines = zip(wanted.split("\n"), found.split("\n"))
        first = next((pair for pair in lines if pair[0] != pair[1]),
                     ("", "its length"))
        raise Failure("stripped code differs: expected %s, found %s" % first)
    if instrument_again:
        opt("--quiet", "--instrument", stripped, "-o", again)
        expect(manifest_sites(again) == manifest_sites(path),
               "sites differ after strip")


# --- one model --------------------------------------------------------------


def check_refusal(*words):
    """For models that cannot be instrumented."""
    code, text = server(*words)
    expect(code == 2, "expected an error")
    expect("torchprof-opt: error: " in text, "no error text")


def check_variant(original, entry, arguments, options):
    """Returns the number of sites."""
    work = os.path.join(arguments.work, entry["name"])
    path = work + ("_variant.pt" if options else KEPT)
    said = opt("--instrument", original.path, "-o", path, *options)
    instrumented = torch.jit.load(path)
    graphs = instrumented_graphs(instrumented)
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
        model_id = root_of(next(iter(graphs.values())))[0]
        check_counts(graphs, entry, counts_in(profile, model_id), dropped)
    if original.gradients:
        found = gradients(path, entry["calls"][0], arguments.models)
        expect(same(original.gradients, found), "gradients differ")
    if arguments.strip and not options:
        check_strip(original, path, work,
                    not arguments.sample or entry["name"] in arguments.sample)
    return int(re.search(r": (\d+) sites? in ", said).group(1))


class Totals:
    """What became of one variant, over all models."""

    def __init__(self, options):
        self.options = options
        self.models = self.sites = self.failures = 0

    def label(self):
        return " ".join([""] + self.options)

    def __str__(self):
        return "%d models%s, %d sites, %d failures" % (
            self.models, self.label(), self.sites, self.failures)


def check(entry, arguments, variants):
    path = os.path.join(arguments.models, entry["name"] + ".pt")
    original = None
    for totals in variants:
        if totals.options and arguments.sample and (
                entry["name"] not in arguments.sample):
            continue
        totals.models += 1
        try:
            sites = 0
            if {"no-method", "custom-op"} & set(entry["properties"]):
                check_refusal("--instrument", path, "-o",
                              os.path.join(arguments.work, "none.pt"),
                              *totals.options)
            else:
                original = original or Original(path, entry, arguments.models)
                sites = check_variant(original, entry, arguments,
                                      totals.options)
            totals.sites += sites
            print("%s%s: %d sites" % (entry["name"], totals.label(), sites),
                  flush=True)
        except Failure as failure:
            totals.failures += 1
            print("%s%s: FAILED: %s" % (entry["name"], totals.label(), failure),
                  flush=True)
    for name in os.listdir(arguments.work):
        if name.startswith(entry["name"]) and name.endswith(".pt") and not (
                arguments.keep and name.endswith(KEPT)):
            os.unlink(os.path.join(arguments.work, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", help="folder that make.py --all filled")
    parser.add_argument("work", help="folder for what is made here")
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--fork-server", required=True)
    parser.add_argument("--group", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--part", metavar="K/N", default="1/1",
                        help="the K-th of N parts of the models")
    parser.add_argument("--strip", action="store_true")
    parser.add_argument("--keep", action="store_true",
                        help="leave the instrumented files, NAME%s" % KEPT)
    parser.add_argument("--variant", action="append", default=[],
                        help="an option of torchprof-opt to try as well")
    parser.add_argument("--sample", nargs="*", default=[],
                        help="the models to try variants on, and to instrument "
                        "again after a strip; all if not given")
    arguments = parser.parse_args()

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
    global server
    server = ForkServer("torchprof-opt", arguments.fork_server,
                        os.path.join(arguments.work, "opt.log"))
    variants = [Totals([])] + [Totals([text]) for text in arguments.variant]
    for entry in entries[part - 1::parts]:
        check(entry, arguments, variants)
    server.close()
    for totals in variants:
        print(totals)
    sys.exit(any(totals.failures for totals in variants))


if __name__ == "__main__":
    main()
