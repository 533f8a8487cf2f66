"""Checks a summary written as CSV and as JSON, read by Python's own modules.

The rows are equal; the shares sum as documented: the self times of all nodes
and roots are the total, and each share is its time divided by the total.
"""

import csv
import json
import sys

with open(sys.argv[1], newline="") as file:
    table = list(csv.DictReader(file))
with open(sys.argv[2]) as file:
    document = json.load(file)
rows, footer = document["rows"], document["footer"]

assert table and len(table) == len(rows)
for line, row in zip(table, rows):
    assert list(line) == list(row), (line, row)
    for column, text in line.items():
        value = row[column]
        if value is None:
            assert text == "", (column, text)
        elif isinstance(value, str):
            assert text == value, (column, text, value)
        else:
            assert float(text) == value, (column, text, value)

inside = [row for row in rows if row["kind"] != "region"]
nodes = [row for row in inside if row["kind"] != "method"]
roots = [row for row in inside if row["kind"] == "method"]
assert footer["sum_of_nodes_ns"] == sum(row["self_ns"] for row in nodes)
assert footer["total_ns"] == sum(row["total_ns"] for row in roots)
assert (
    footer["unattributed_ns"] == footer["total_ns"] - footer["sum_of_nodes_ns"]
)
assert abs(sum(row["pct_self"] for row in inside) - 100) < 1e-2
for row in inside:
    share = 100 * row["total_ns"] / footer["total_ns"]
    assert abs(row["pct_total"] - share) < 1e-3, row
    assert row["min_ns"] <= row["p50_ns"] <= row["p90_ns"]
    assert row["p90_ns"] <= row["p99_ns"] <= row["max_ns"]
