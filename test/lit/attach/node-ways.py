"""Bytes, blocks and calls by shapes are the same numbers per node whichever way a probe
takes: that of memory alone, of shapes alone, of both, or the one where anything may be
measured; also when the log is folded in the middle of a run, when a node has more
signatures than are told apart, and when an exception ends a run."""
# RUN: rm -f %t*.tprof
# RUN: %python -W ignore %s %build %t
# UNSUPPORTED: asan, tsan

import json
import os
import subprocess
import sys

import torch

#: Those with cpu take the way of anything.
WAYS = ["memory", "shapes", "memory,shapes", "memory,cpu", "shapes,cpu",
        "memory,shapes,cpu"]
MODES = ["aggregate", "trace"]
#: Runs of a node in one call of the model: a log has room for 8192 records.
LOOPS = 3000
#: By default, a node's signatures that are told apart.
SIGNATURES = 8
MEMORY = ["calls", "allocs", "alloc_bytes", "freed_bytes", "peak_bytes"]


class Model(torch.nn.Module):
    def forward(self, x, weight, times: int):
        for _ in range(times):
            y = torch.relu(x + 1)
            x = (y * 0.5).neg_()
        return torch.mm(x, weight)


def work():
    torch.set_num_threads(1)
    model = torch.jit.script(Model())
    row, square = torch.rand(1, 64), torch.rand(64, 64)
    fails = torch.rand(63, 64)
    with torch.no_grad():
        for times in (1, 2, 3, LOOPS):
            for x in (row, square):
                model(x, square, times)
        for _ in range(2):
            for count in range(2, 2 + SIGNATURES):
                model(torch.rand(count, 64), square, 2)
        try:
            model(square, fails, LOOPS)
        except RuntimeError:
            return
    raise AssertionError


def summary(path, columns, *arguments):
    """The columns of each node."""
    output = subprocess.run(
        ["torchprof-report", "summary", path, "--limit=0", "--format=json",
         "--columns=kind,name," + ",".join(columns), *arguments], check=True,
        stdout=subprocess.PIPE, universal_newlines=True)
    return json.loads(output.stdout)["rows"]


def memory(path):
    """The columns of each node, of all signatures together."""
    return {(row["kind"], row["name"]): [row[column] or 0 for column in MEMORY]
            for row in summary(path, MEMORY)}


def shapes(path):
    """The calls of each node by signature."""
    rows = summary(path, ["shapes", "calls"], "--group-by=shape")
    return sorted((row["kind"], row["name"], row["shapes"] or "", row["calls"])
                  for row in rows)


def nearly(found, expected, blocks):
    """malloc makes a block larger by what would be left of another one."""
    return abs(found - expected) <= 64 * (blocks + 1)


def check_memory(found, expected):
    assert found.keys() == expected.keys(), (found, expected)
    for row, values in found.items():
        calls, blocks, *bytes = values
        assert [calls, blocks] == expected[row][:2], (row, values, expected[row])
        for one, other in zip(bytes, expected[row][2:]):
            assert nearly(one, other, blocks), (row, values, expected[row])


def main(build, stem):
    preload = os.path.join(build, "lib", "libtorchprof_preload.so")
    calls = 2 * (1 + 2 + 3 + LOOPS) + 2 * SIGNATURES * 2 + LOOPS
    for mode in MODES:
        expected_memory = expected_shapes = None
        for way in WAYS[::-1]:
            path = "%s-%s-%s.tprof" % (stem, mode, way.replace(",", "-"))
            subprocess.run([sys.executable, "-W", "ignore", __file__], check=True,
                           env=dict(os.environ, LD_PRELOAD=preload,
                                    TORCHPROF_FILE=path, TORCHPROF_RECORD=way,
                                    TORCHPROF_MODE=mode))
            check = subprocess.run(["torchprof-report", "check", path], check=True,
                                   stdout=subprocess.PIPE, universal_newlines=True)
            assert "lowered_pairs" in check.stdout, check.stdout
            print(mode, way)
            if "memory" in way:
                found = memory(path)
                relu = found["aten::relu", "y"]
                assert relu[:2] == [calls] * 2 and relu[4] >= 64 * 64 * 4, relu
                expected_memory = expected_memory or found
                check_memory(found, expected_memory)
            if "shapes" in way:
                found = shapes(path)
                relu = [row for row in found if row[:2] == ("aten::relu", "y")]
                assert len(relu) == SIGNATURES + 1, relu
                assert sum(row[3] for row in relu) == calls, relu
                expected_shapes = expected_shapes or found
                assert found == expected_shapes, (found, expected_shapes)


main(*sys.argv[1:]) if len(sys.argv) > 1 else work()
