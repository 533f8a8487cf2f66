"""docs/ci.md: 20 identical re-runs trip nothing; one layer that becomes slower by
20 % is found and named. bench/fidelity/gate.py does the same on the clock."""
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %S/Inputs/make_diff.py %t | FileCheck %s

import os
import subprocess
import sys

make, folder = sys.argv[1:]


def profile(name, scale, seed):
    path = os.path.join(folder, name + ".json")
    subprocess.run([sys.executable, make, path, str(scale), "0.1", str(seed)],
                   check=True)
    return path


def gate(after):
    return subprocess.run(
        ["torchprof-report", "diff", base, after, "--fail-above=5%",
         "--changed"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True)


base = profile("base", 1, 100)
codes = [gate(profile("again", 1, seed)).returncode for seed in range(20)]
# CHECK: re-runs: 20, tripped: 0
print("re-runs: %d, tripped: %d" % (len(codes), sum(codes)))

for seed in range(20):
    slow = gate(profile("slow", 1.2, 200 + seed))
    assert slow.returncode == 1, slow.stdout
    assert "aten::relu" not in slow.stdout, slow.stdout
# CHECK: change {{ *}}kind
# CHECK: slower {{ *}}aten::mm {{ *}}a
print(slow.stdout)
