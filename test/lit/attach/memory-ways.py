"""Bytes and blocks per node are the same numbers whichever way a probe takes: that of
memory alone, with shapes besides, or the one where anything may be measured; also when
the log is folded in the middle of a run, and when an exception ends one."""
# RUN: rm -f %t*.tprof
# RUN: %python -W ignore %s %build %t
# UNSUPPORTED: asan, tsan

import json
import os
import subprocess
import sys

import torch

#: The last two take the way of anything.
WAYS = ["memory", "memory,shapes", "memory,cpu", "memory,shapes,cpu"]
MODES = ["aggregate", "trace"]
#: Runs of a node in one call of the model: a log has room for 8192 records.
LOOPS = 3000
COLUMNS = ["calls", "allocs", "alloc_bytes", "freed_bytes", "peak_bytes"]


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
        try:
            model(square, fails, LOOPS)
        except RuntimeError:
            return
    raise AssertionError


def rows(path):
    """The columns of each node, of all signatures together."""
    output = subprocess.run(
        ["torchprof-report", "summary", path, "--limit=0", "--format=json",
         "--columns=kind,name," + ",".join(COLUMNS)], check=True,
        stdout=subprocess.PIPE, universal_newlines=True)
    return {(row["kind"], row["name"]): [row[column] or 0 for column in COLUMNS]
            for row in json.loads(output.stdout)["rows"]}


def nearly(found, expected, blocks):
    """malloc makes a block larger by what would be left of another one."""
    return abs(found - expected) <= 64 * (blocks + 1)


def main(build, stem):
    preload = os.path.join(build, "lib", "libtorchprof_preload.so")
    for mode in MODES:
        expected = None
        for way in WAYS[::-1]:
            path = "%s-%s-%s.tprof" % (stem, mode, way.replace(",", "-"))
            subprocess.run([sys.executable, "-W", "ignore", __file__], check=True,
                           env=dict(os.environ, LD_PRELOAD=preload,
                                    TORCHPROF_FILE=path, TORCHPROF_RECORD=way,
                                    TORCHPROF_MODE=mode))
            check = subprocess.run(["torchprof-report", "check", path], check=True,
                                   stdout=subprocess.PIPE, universal_newlines=True)
            assert "lowered_pairs" in check.stdout, check.stdout
            found = rows(path)
            relu = found["aten::relu", "y"]
            assert relu[:2] == [2 * (1 + 2 + 3 + LOOPS) + LOOPS] * 2, relu
            assert relu[4] >= 64 * 64 * 4, relu
            expected = expected or found
            assert found.keys() == expected.keys(), (found, expected)
            for row, values in found.items():
                calls, blocks, *bytes = values
                assert [calls, blocks] == expected[row][:2], (way, row, values,
                                                               expected[row])
                for one, other in zip(bytes, expected[row][2:]):
                    assert nearly(one, other, blocks), (way, row, values,
                                                        expected[row])


main(*sys.argv[1:]) if len(sys.argv) > 1 else work()
