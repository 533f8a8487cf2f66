"""Adds up self times and gradients of each grouping and of the tree of a profile, and
compares them with those of the nodes: check_groupings.py FILE.tprof

As self_sums.py of test/lit/report, for a clock whose ticks are no nanoseconds.
"""
import json
import subprocess
import sys


def total(*arguments, columns="self_ns,backward_ns"):
    output = subprocess.run(
        ["torchprof-report", *arguments, "--columns=" + columns, "--format=json"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return sum(value or 0 for row in json.loads(output)["rows"]
               for column, value in row.items() if column in columns.split(","))


path = sys.argv[1]
# Gradients have rows of their own there.
expected = total("summary", path, "--limit=0", columns="self_ns")
sums = {group: total("summary", path, "--limit=0", "--group-by=" + group)
        for group in ("module", "class", "source", "stack", "thread", "method")}
sums["tree"] = total("tree", path)
for name, found in sums.items():
    assert abs(found - expected) <= expected / 1000, (name, expected, sums)
