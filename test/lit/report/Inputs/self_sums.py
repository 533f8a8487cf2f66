"""Adds up the self times of each grouping, of the tree, of the source lines and
of the stacks of profiles, and compares them. Gradients have rows of their own
where rows are nodes, shapes or kinds, and a column beside self times elsewhere. Those of
nothing in a model are in no tree and on no line.

The footer adds up too: Sum of nodes, Gradients, Unattributed and Excess are the
Total.
Regions and bodies of forks are rows of the summary only.
"""

import json
import os
import subprocess
import sys

GROUPINGS = ("node", "kind", "module", "class", "source", "stack", "thread",
             "method", "shape")


def report(*arguments):
    return subprocess.run(["torchprof-report", *arguments], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def rows(*arguments):
    return json.loads(report(*arguments, "--format=json"))


def own(rows, with_gradients):
    return sum((row["self_ns"] or 0) +
               (with_gradients and row["backward_ns"] or 0) for row in rows)


ROWS_OF_GRADIENTS = ("node", "kind", "shape")

for path in sys.argv[1:]:
    sums = {}
    for group in GROUPINGS:
        document = rows("summary", path, "--limit=0", "--group-by=" + group,
                        "--columns=kind,self_ns,backward_ns")
        sums[group] = own(document["rows"], group not in ROWS_OF_GRADIENTS)
    assert len(set(sums.values())) == 1, (path, sums)
    footer = document["footer"]
    inside = (footer["sum_of_nodes_ns"] + footer["unattributed_ns"] +
              footer.get("gradients_ns", 0))
    backward = footer.get("backward_ns", 0)
    assert inside + footer.get("excess_ns", 0) == footer["total_ns"], footer
    nodes = rows("summary", path, "--limit=0")["rows"]
    regions = sum(row["self_ns"] or 0 for row in nodes
                  if row["kind"] == "region")
    asynchronous = footer.get("asynchronous_ns", 0)
    assert sums["node"] == inside + asynchronous + regions + backward, (
        path, sums, footer)
    modules = rows("summary", path, "--group-by=module",
                   "--columns=module,self_ns")["rows"]
    nowhere = sum(row["self_ns"] for row in modules
                  if row["module"] == "(outside)") - regions
    for command in "tree", "annotate":
        parts = own(rows(command, path,
                         "--columns=self_ns,backward_ns")["rows"], True)
        assert parts == inside + backward - nowhere, (path, command, parts)
    stacks = report("export", "--to=folded", path).splitlines()
    weight = sum(int(line.rsplit(" ", 1)[1]) for line in stacks)
    assert weight == inside + backward + asynchronous, (path, weight, inside)
    torch = rows("summary", path, "--style=torch", "--limit=0")
    assert torch["footer"]["self_cpu_time_total_ns"] == sums["node"], torch
    shares = sum(row["self_cpu_pct"] or 0 for row in torch["rows"])
    assert abs(shares - 100) < 0.01, (path, shares)
    print("%s: %d groupings, self times of %d ns"
          % (os.path.basename(path), len(sums), sums["node"]))
