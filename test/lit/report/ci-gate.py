"""docs/ci.md: 20 identical re-runs trip nothing; one layer that becomes slower by
20 % is found and named. bench/fidelity/gate.py does the same on the clock."""
# RUN: rm -rf %t && mkdir -p %t
# RUN: %python %s %S/Inputs/make_diff.py %t | FileCheck %s

import json
import os
import random
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

# A short node that differs between processes is no reason to fail: 1.6 % of the
# time, 15 % longer.


def shorten(path, factor):
    with open(path) as file:
        document = json.load(file)
    cell = document["lanes"][0]["cells"][2]
    cell["samples"] = [round(ns * factor) for ns in cell["samples"]]
    with open(path, "w") as file:
        json.dump(document, file)
    return path


base = shorten(profile("base", 1, 100), 1 / 30)
again = gate(shorten(profile("again", 1, 101), 1.15 / 30))
# CHECK: slower {{ *}}aten::relu
# CHECK: exit code 0
print(again.stdout, "exit code", again.returncode)
# CHECK: exit code 1
print("exit code",
      gate(shorten(profile("again", 1, 101), 1.6 / 30)).returncode)


# Several processes a side: what differs from process to process is noise, here a
# node that takes up to two fifths longer in some. A layer that became slower by
# 20 % is still found.
draw = random.Random(1)


def side(name, scale, seed):
    return [shorten(profile("%s-%d" % (name, i), scale, seed + i),
                    draw.uniform(1, 1.4)) for i in range(5)]


def gates(before, after, *options):
    return subprocess.run(
        ["torchprof-report", "diff", "--fail-above=5%", "--changed", *options,
         *("--before=" + path for path in before),
         *("--after=" + path for path in after)], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, universal_newlines=True)


base = side("base", 1, 300)
tripped = single = 0
for again in range(20):
    after = side("again", 1, 400 + 10 * again)
    tripped += gates(base, after).returncode
    single += gates(base[:1], after[:1]).returncode
# CHECK: tripped: 0 of 20, single processes: {{[1-9]}}
print("tripped: %d of 20, single processes: %d" % (tripped, single))
after = side("slow", 1.2, 700)
slow = gates(base, after)
# CHECK: slower {{ *}}aten::mm {{ *}}a
# CHECK-NOT: aten::relu
# CHECK: exit code 1
print(slow.stdout, "exit code", slow.returncode)

# A process that was killed in its first run has no mean of the method: it is no
# reason to take the others' for noise.
killed = profile("killed", 1.2, 800)
with open(killed) as file:
    document = json.load(file)
document["lanes"][0]["cells"][0].update(samples=[], begins=1)
with open(killed, "w") as file:
    json.dump(document, file)
method = gates(base, after + [killed], "--include=method")
# CHECK: slower {{ *}}method
# CHECK: exit code 1
print(method.stdout, "exit code", method.returncode)
