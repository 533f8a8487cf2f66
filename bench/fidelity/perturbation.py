#!/usr/bin/env python3
"""How profiling changes what LibTorch's executor makes of a model, and what the
model then says.

  perturbation.py FOLDER NAME... --bin BUILD/bin --lib BUILD/lib --work WORK

The workloads NAME.pt in FOLDER run in three processes: plain, attached, and
instrumented in a process without hooks. The nodes of the optimized graph,
fused groups and differentiable subgraphs, without and under grad, and whether
outputs and gradients are the plain ones bit for bit. One JSON object per model.
"""

import argparse
import json
import os
import subprocess
import sys

import torch

CALLS = 4
HOW = ("plain", "attached", "probed")


def count(graph, into):
    for node in graph.nodes():
        kind = node.kind()
        into["nodes"] += 1
        if kind in ("prim::TensorExprGroup", "prim::FusionGroup",
                    "prim::CudaFusionGroup", "prim::StaticSubgraph"):
            into["fused_groups"] += 1
        if kind == "prim::DifferentiableGraph":
            into["differentiable_graphs"] += 1
            count(node.g("Subgraph"), into)
        if kind == "torchprof::timed":
            into["timed"] += 1
        if kind in ("torchprof::begin", "torchprof::enter"):
            into["explicit"] += 1
        for block in node.blocks():
            count(block, into)
    return into


def observe(path, grad):
    """(counts of the optimized graph, outputs and gradients of each call)"""
    torch.manual_seed(0)
    model = torch.jit.load(path)
    inputs = model.inputs()
    parameters = list(model.parameters()) if grad else []
    seen = []
    with torch.set_grad_enabled(grad):
        for _ in range(CALLS):
            output = model(*inputs)
            # Before the gradients, whose graphs are executed too.
            graph = torch.jit.last_executed_optimized_graph()
            seen.append(output.detach())
            if output.requires_grad:
                seen += torch.autograd.grad(output.sum(), parameters)
    empty = dict.fromkeys(("nodes", "fused_groups", "differentiable_graphs",
                           "timed", "explicit"), 0)
    return count(graph, empty), seen


def behave(to, *paths):
    torch.save([[observe(path, grad) for grad in (False, True)]
                for path in paths], to)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()

    def library(part):
        return os.path.join(arguments.lib, "libtorchprof_%s.so" % part)

    profile = os.path.join(arguments.work, "perturbation-%p.tprof")
    environments = {
        "plain": {},
        "attached": {"LD_PRELOAD": library("preload"),
                     "TORCHPROF_FILE": profile},
        "probed": {"TORCHPROF_FILE": profile, "RUNTIME": library("runtime")},
    }
    plain, probed = [], []
    for name in arguments.names:
        plain.append(os.path.join(arguments.folder, name + ".pt"))
        probed.append(os.path.join(arguments.work, name + "_probed.pt"))
        subprocess.run([os.path.join(arguments.bin, "torchprof-opt"), "--quiet",
                        "--instrument", "--methods=forward", plain[-1], "-o",
                        probed[-1]], check=True)
    seen = {}
    for how in HOW:
        to = os.path.join(arguments.work, "perturbation.seen")
        subprocess.run(
            [sys.executable, "-W", "ignore", os.path.abspath(__file__),
             "--behave", to, *(probed if how == "probed" else plain)],
            env=dict(os.environ, **environments[how]), check=True)
        seen[how] = torch.load(to)
    for index, name in enumerate(arguments.names):
        result = {"model": name}
        for how in HOW:
            for suffix, (shape, values), (_, wanted) in zip(
                    ("", "_grad"), seen[how][index], seen["plain"][index]):
                result[how + suffix] = shape
                result["equal_" + how + suffix] = len(values) == len(wanted) \
                    and all(map(torch.equal, values, wanted))
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--behave"]:
        if "RUNTIME" in os.environ:
            torch.ops.load_library(os.environ["RUNTIME"])
        behave(*sys.argv[2:])
    else:
        main()
