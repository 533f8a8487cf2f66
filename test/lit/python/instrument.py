"""What instrument() takes, and what it says when it cannot."""
# RUN: rm -rf %t && mkdir %t
# RUN: %python -u -W ignore %s %t 2>&1 | FileCheck %s
# RUN: env TORCHPROF_HOME=%t PATH=/usr/bin:/bin %python -W ignore %s --homeless \
# RUN:   2>&1 | FileCheck %s --check-prefix=HOME
# RUN: mkdir %t/alone && cp -r %source/python/torchprof_jit %t/alone
# RUN: env PYTHONPATH=%t/alone %python -W ignore %s --homeless | FileCheck %s --check-prefix=HOME
# RUN: mkdir "%t/a[b]" && ln -s %build/lib "%t/a[b]/lib"
# RUN: env PYTHONPATH=%t/alone "TORCHPROF_HOME=%t/a[b]" PATH=/usr/bin:/bin %python -W ignore %s --homeless \
# RUN:   | FileCheck %s --check-prefix=HOME

import logging
import os
import sys

import torch
import torch.nn as nn

import torchprof_jit

logging.basicConfig(format="%(name)s: %(levelname)s: %(message)s")


class Plain(nn.Module):
    def forward(self, x):
        return torch.relu(x)


class Dynamic(nn.Module):
    def forward(self, *tensors, **options):
        return torch.tanh(tensors[0])


if sys.argv[1] == "--homeless":
    # The build tree above the package serves, or that of the torchprof on PATH.
    print(torchprof_jit.runtime_path())
    # HOME: lib/torchprof/{{[^/]+}}/libtorchprof_runtime.so
    sys.exit()

folder = sys.argv[1]
x = torch.rand(4)

path = os.path.join(folder, "plain.pt")
torch.jit.script(Plain()).save(path)
for model in (Plain(), torch.jit.script(Plain()), path):
    instrumented = torchprof_jit.instrument(model)
    assert torch.equal(instrumented(x), torch.relu(x))
    assert hasattr(instrumented, "_torchprof_manifest")
assert torchprof_jit.instrument(instrumented) is instrumented

# Freezing leaves the probes alone: there are no second ones around them.
frozen = torch.jit.freeze(instrumented.eval())
assert torchprof_jit.instrument(frozen) is frozen
frozen.save(os.path.join(folder, "frozen.pt"))
frozen = torchprof_jit.instrument(os.path.join(folder, "frozen.pt"))
assert len(frozen.graph.findAllNodes("torchprof::enter")) == 1

try:
    torchprof_jit.instrument(Dynamic())
except RuntimeError as error:
    print(error)
# CHECK: Dynamic cannot be scripted; give example_inputs to trace it:

traced = torchprof_jit.instrument(Dynamic(), example_inputs=x)
assert torch.equal(traced(x), torch.tanh(x))
# CHECK: torchprof_jit: WARNING: traced Dynamic, because it cannot be scripted

# The mode is kept.
assert not torchprof_jit.instrument(Plain().eval()).training
assert torchprof_jit.instrument(Plain().train()).training

# The exceptions' texts are those of torchprof-opt.
for options in (
    {"methods": ["nonesuch"]},
    {"include": ["aten::rel"]},
    {"methods": "nonesuch"},  # one name, not its letters
    {"include": "aten::rel"},
    {"nodes": "some"},
    {"granularity": "layer"},
):
    try:
        torchprof_jit.instrument(path, **options)
    except torchprof_jit.InstrumentError as error:
        print(error)
# CHECK: {{.*}}plain.pt: there is no method 'nonesuch'; the model has forward
# CHECK: {{.*}}plain.pt: no site matches --include='aten::rel'; did you mean aten::relu?
# CHECK: {{.*}}plain.pt: there is no method 'nonesuch'; the model has forward
# CHECK: {{.*}}plain.pt: no site matches --include='aten::rel'; did you mean aten::relu?
# CHECK: {{.*}}plain.pt: nodes must be 'default' or 'all', not 'some'
# CHECK: {{.*}}plain.pt: granularity must be 'op' or 'module', not 'layer'
for exclude in (["*"], "aten::*"):
    try:
        torchprof_jit.instrument(Plain(), exclude=exclude)
    except torchprof_jit.InstrumentError as error:
        print(error)
# CHECK: {{^}}--exclude='*' leaves no site{{$}}
# CHECK: {{^}}--exclude='aten::*' leaves no site{{$}}

# The passes run in this process: no tool is started, no file is written.
search, os.environ["PATH"] = os.environ["PATH"], ""
before = os.listdir(folder)
all_nodes = torchprof_jit.instrument(path, nodes="all", granularity="op",
                                     include=["aten::*"], methods=["forward"])
assert os.listdir(folder) == before
os.environ["PATH"] = search
print(all_nodes._torchprof_manifest.text())
# CHECK: torchprof-manifest 2
# CHECK: name plain
print(torchprof_jit.instrument(Plain())._torchprof_manifest.text())
# CHECK: name Plain

# One runtime in the process, whichever library was loaded first.
with open("/proc/self/maps") as maps:
    print("runtimes:", len({line.split()[-1] for line in maps
                            if "libtorchprof_runtime" in line}))
# CHECK: runtimes: 1

try:
    torchprof_jit.instrument(3)
except TypeError as error:
    print(error)
# CHECK: neither a module nor the path of a model: int

p = torchprof_jit.profile(path)
p(x)
p.export("tprof", os.path.join(folder, "copy.tprof"))
assert os.path.getsize(os.path.join(folder, "copy.tprof")) > 0
try:
    p.export("nonesuch", os.path.join(folder, "copy"))
except torchprof_jit.ToolError as error:
    print("refused")
# CHECK: refused
