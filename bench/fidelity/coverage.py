#!/usr/bin/env python3
"""How much of a model's time its nodes account for.

  coverage.py ZOO WORK --bin BUILD/bin [--most-runs N] [--profiles N] [--only NAME...]

ZOO is a folder that test/models/make.py filled. Prints a JSON object per model,
which runs attached: the time between its nodes, whether the self times of all rows
add up to that of the runs, by how much nodes are longer than what they are in, and
what is between the nodes under grad, also with what reads attributes apart, in a row
of its own. Long nodes with much between them are measured without grad and with that
row, too, and frozen, where nothing is left between them but what the nodes themselves
need.
"""

import argparse
import json
import os
import subprocess

import torch

import zoo

# What the time between the nodes of a model should stay below.
LONG_NODE_NS, REST_PCT = 20e3, 2
# A process's first runs meet memory that was never touched: enough runs that
# they do not decide.
SECONDS, LEAST_RUNS, MOST_RUNS = 2, 5, 300
# A process that has to wait between two nodes of a short model waits longer than all
# of its runs take.
PROFILES = 3


def run(arguments, name, *options, record=""):
    done = subprocess.run([os.path.join(arguments.bin, name), *options],
                          cwd=arguments.zoo, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True,
                          env=dict(os.environ, TORCHPROF_RECORD=record))
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[-1])
    return done.stdout


def profile(arguments, *rest, **record):
    """The least disturbed of several profiles."""
    return min((profile_once(arguments, *rest, **record)
                for _ in range(arguments.profiles)),
               key=lambda document: document["footer"]["total_ns"])


def profile_once(arguments, model, call, runs, *options, record=""):
    """The report's document on so many runs of the model, attached. record: what
    to measure beside time."""
    path = os.path.join(arguments.work, "coverage.tprof")
    if os.path.exists(path):
        os.unlink(path)
    inputs = [word for spec in call["inputs"] for word in ("--input", spec)]
    run(arguments, "torchprof-run", model, "--threads", "1", "--runs",
        str(runs), "--method", call["method"], "-o", path, *inputs, *options,
        record=record)
    return json.loads(run(arguments, "torchprof-report", "summary", path,
                          "--format=json", "--limit=0",
                          "--columns=kind,name,calls,total_ns,self_ns"))


def rest_pct(document):
    footer = document["footer"]
    return 100 * footer["unattributed_ns"] / footer["total_ns"]


def adds_up(document):
    """Whether the self times of all rows, the methods' too, are the time of the runs.
    They are more where a node is longer than what it is in; with this excess, which
    the footer names, any sums add up. Each number is printed to a tenth of a nanosecond
    or to a digit in a million."""
    rows, total = document["rows"], document["footer"]["total_ns"]
    return abs(sum(row["self_ns"] for row in rows) - total
               ) < 0.05 * len(rows) + 1e-6 * total


def frozen_pct(arguments, model, call, runs):
    """What is unattributed in the frozen model, None if it cannot be frozen."""
    path = os.path.join(arguments.work, "frozen.pt")
    try:
        frozen = torch.jit.freeze(torch.jit.load(model).eval(),
                                  preserved_attrs=[call["method"]])
    except RuntimeError:
        return None
    frozen.save(path)
    document = profile(arguments, path, call, runs)
    os.unlink(path)
    return rest_pct(document)


def measure(arguments, entry, call):
    model = os.path.join(arguments.zoo, entry["name"] + ".pt")
    least = min(LEAST_RUNS, arguments.most_runs)
    first = profile_once(arguments, model, call, least)["footer"]["total_ns"]
    runs = int(SECONDS * 1e9 * least / max(first, 1))
    runs = min(max(runs, least), arguments.most_runs)
    document = profile(arguments, model, call, runs)
    footer = document["footer"]
    nodes = [row for row in document["rows"] if row["kind"] != "method"]
    calls = sum(row["calls"] for row in nodes)
    total = footer["total_ns"]
    mean = sum(row["self_ns"] for row in nodes) / max(1, calls)
    result = {
        "model": entry["name"], "group": entry["group"],
        "nodes_per_run": calls / runs, "runs": runs, "mean_node_ns": mean,
        "total_ns": total,
        "unattributed_pct": rest_pct(document),
        "grad_unattributed_pct": rest_pct(
            profile(arguments, model, call, runs, "--grad")),
        "grad_reads_unattributed_pct": rest_pct(
            profile(arguments, model, call, runs, "--grad", record="attributes")),
        "adds_up": adds_up(document),
        "excess_pct": -100 * footer.get("excess_ns", 0) / total,
    }
    if mean > LONG_NODE_NS and result["unattributed_pct"] >= REST_PCT:
        result["frozen_unattributed_pct"] = frozen_pct(arguments, model, call,
                                                       runs)
        apart = profile(arguments, model, call, runs, record="attributes")
        result["reads_unattributed_pct"] = rest_pct(apart)
        result["reads_pct"] = 100 * sum(
            row["self_ns"] for row in apart["rows"]
            if row["kind"] == "reads attributes") / apart["footer"]["total_ns"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("zoo")
    parser.add_argument("work")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--most-runs", type=int, default=MOST_RUNS)
    parser.add_argument("--profiles", type=int, default=PROFILES)
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    arguments.zoo = os.path.abspath(arguments.zoo)
    arguments.work = os.path.abspath(arguments.work)
    arguments.bin = os.path.abspath(arguments.bin)
    os.makedirs(arguments.work, exist_ok=True)
    for entry, call in zoo.calls(arguments.zoo, arguments.only):
        try:
            print(json.dumps(measure(arguments, entry, call)), flush=True)
        except RuntimeError as error:
            cause = str(error)
            for folder in (arguments.zoo, arguments.work):
                cause = cause.replace(os.path.join(folder, ""), "")
            print(json.dumps({"model": entry["name"], "absent": cause}))


if __name__ == "__main__":
    main()
