"""Checks the summary of a ResNet-18 that ran a given number of times."""

import json
import sys

with open(sys.argv[1]) as file:
    summary = json.load(file)
runs = int(sys.argv[2])
expected = {"conv1"}
for layer in range(1, 5):
    for block in range(2):
        for conv in (1, 2):
            expected.add("layer%d.%d.conv%d" % (layer, block, conv))
    if layer > 1:
        expected.add("layer%d.0.downsample.0" % layer)
convolutions = {
    row["module"]: row["calls"]
    for row in summary["rows"]
    if row["kind"] in ("aten::conv2d", "aten::_convolution")
}
assert set(convolutions) == expected, convolutions
assert set(convolutions.values()) == {runs}, convolutions
print("%d convolutions, each with its path and %d calls" % (
    len(convolutions), runs))
footer = summary["footer"]
assert footer["sum_of_nodes_ns"] > 0.95 * footer["total_ns"], footer
assert footer["sum_of_nodes_ns"] <= 1.0001 * footer["total_ns"], footer
print("nodes add up to the total")
