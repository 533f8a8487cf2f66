#!/usr/bin/env python3
"""How probes change what LibTorch's executor makes of a model.

  perturbation.py FOLDER NAME... --bin BUILD/bin --lib BUILD/lib --work WORK

For each workload NAME.pt in FOLDER: the nodes of the optimized graph, fused
groups and differentiable subgraphs, without and with probes, without and under
grad, and whether the outputs are equal bit for bit. One JSON object per model.
"""

import argparse
import json
import os
import subprocess

import torch


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


def shape_of(model, inputs):
    """(counts of the optimized graph, the last output)"""
    for _ in range(4):
        output = model(*inputs)
    graph = torch.jit.last_executed_optimized_graph()
    empty = dict.fromkeys(("nodes", "fused_groups", "differentiable_graphs",
                           "timed", "explicit"), 0)
    return count(graph, empty), output


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    torch.ops.load_library(os.path.join(arguments.lib,
                                        "libtorchprof_runtime.so"))
    torch.ops.torchprof.set_option(
        "file", os.path.join(arguments.work, "perturbation-%p.tprof"))
    for name in arguments.names:
        plain = os.path.join(arguments.folder, name + ".pt")
        probed = os.path.join(arguments.work, name + "_probed.pt")
        subprocess.run([os.path.join(arguments.bin, "torchprof-opt"), "--quiet",
                        "--instrument", "--methods=forward", plain, "-o",
                        probed], check=True)
        result = {"model": name}
        for grad in (False, True):
            outputs = []
            for key, path in (("plain", plain), ("probed", probed)):
                model = torch.jit.load(path)
                inputs = model.inputs()
                with torch.set_grad_enabled(grad):
                    shape, output = shape_of(model, inputs)
                result[key + ("_grad" if grad else "")] = shape
                outputs.append(output)
            if not grad:
                result["equal"] = torch.equal(*outputs)
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
