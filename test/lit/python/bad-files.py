"""A file that holds no model: instrument() and profile() say what torchprof-opt does."""
# RUN: rm -rf %t && mkdir %t && %python -W ignore %s %t

import os
import subprocess
import sys
import zipfile

import torch
import torch.package

import torchprof_jit

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def write(name, content):
    with open(path(name), "wb") as file:
        file.write(content)


write("empty.pt", b"")
write("text.onnx", b"text")
torch.save({"weight": torch.ones(2)}, path("state.pt"))
torch.package.package_exporter._gate_torchscript_serialization = False
with torch.package.PackageExporter(path("package.pt")) as package:
    package.save_pickle("model", "model.pkl", torch.jit.script(Net()))
torch.jit.script(Net()).save(path("net.pt"))
with open(path("net.pt"), "rb") as file:
    content = file.read()
write("cut.pt", content[:len(content) // 2])
with zipfile.ZipFile(path("net.pt")) as net, \
        zipfile.ZipFile(path("part.pt"), "w") as part:
    for name in net.namelist():
        if not name.endswith("/data.pkl"):
            part.writestr(name, net.read(name))


# In the process it runs, but no copy of it can be made.
optimized = torch.jit.optimize_for_inference(
    torch.jit.script(torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1)).eval()))
optimized.save(path("optimized.pt"))


def word_of_opt(file):
    done = subprocess.run(
        ["torchprof-opt", "--instrument", file, "-o", path("out.pt")],
        stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 2, done
    return done.stderr.strip().replace("torchprof-opt: error: ", "")


def word_of(function, file):
    try:
        function(file)
    except torchprof_jit.InstrumentError as error:
        return str(error)
    raise AssertionError("%s took %s" % (function.__name__, file))


for name in ("empty.pt", "text.onnx", "state.pt", "package.pt", "absent.pt", "",
             "cut.pt", "part.pt", "optimized.pt"):
    expected = word_of_opt(path(name))
    for function in (torchprof_jit.instrument, torchprof_jit.profile):
        found = word_of(function, path(name))
        assert found == expected, (found, expected)

word = word_of(torchprof_jit.instrument, optimized)
assert path("optimized.pt") + ": " + word == word_of_opt(path("optimized.pt")), word
with torchprof_jit.profile(optimized) as p:
    p.module(torch.rand(1, 1, 2, 2))
assert "prim::mkldnn_convolution" in p.summary(), p.summary()
