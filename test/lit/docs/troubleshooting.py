"""Each message in docs/troubleshooting.md is one that a user really sees."""
# UNSUPPORTED: asan, tsan
# RUN: rm -rf %t && mkdir %t
# RUN: %python -W ignore %s %source/docs/troubleshooting.md %runtime %t | FileCheck %s
# CHECK: 8 messages reproduced

import os
import re
import subprocess
import sys
import zipfile

import torch

page, runtime, folder = sys.argv[1:]
with open(page) as file:
    documentation = file.read()
reproduced = 0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def python(code, **environment):
    """Runs code in a new process; returns what it prints, errors too."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "import torch\n" + code],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    return done.stdout


def expect(message, output):
    """The message, with ... for what differs, is in the page and the output."""
    global reproduced
    assert message in documentation, message
    pattern = ".*".join(re.escape(part) for part in message.split("..."))
    assert re.search(pattern, output), (message, output)
    reproduced += 1


LOAD = "torch.ops.load_library(%r)\n" % runtime
RUN = LOAD + "torch.jit.load('instr.pt')(torch.ones(2))\n"
model = os.path.join(folder, "model.pt")
torch.jit.script(Model()).save(model)
subprocess.run(
    ["torchprof-opt", "--quiet", "--instrument", model, "-o",
     os.path.join(folder, "instr.pt")],
    check=True,
)

expect("Unknown type name '__torch__.torch.classes.torchprof.Manifest'",
       python("torch.jit.load('instr.pt')"))

python(LOAD + "m = torch.jit.load('instr.pt')\n"
       "m._save_for_lite_interpreter('lite.ptl')")
expect("Following ops cannot be found: [torchprof::...]",
       python("from torch.jit.mobile import _load_for_lite_interpreter\n"
              "_load_for_lite_interpreter('lite.ptl')"))

# Take the manifest out by hand.
with zipfile.ZipFile(os.path.join(folder, "instr.pt")) as source:
    with zipfile.ZipFile(os.path.join(folder, "hand.pt"), "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith(".py"):
                text = data.decode()
                text = re.sub(r"(?m)^ *_torchprof_manifest [:=] .*\n", "", text)
                text = re.sub(r"\benter\([^,]*, ", "begin(", text)
                data = text.encode()
            target.writestr(name, data)
expect("Unknown builtin op: torchprof::begin",
       python("torch.jit.load('hand.pt')"))

expect("warning: ...: cannot make the profile: ...; recording in memory only",
       python(RUN, TORCHPROF_FILE="/nonesuch/x.tprof"))

limit = ("import resource\n"
         "resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))\n")
expect("warning: ...: cannot grow the profile: ...", python(limit + RUN))

expect("warning: unknown variable TORCHPROF_...",
       python(RUN, TORCHPROF_NONSENSE="1"))

# The Python package refuses a runtime of another LibTorch before it loads it.
fake = os.path.join(folder, "fake", "bin")
os.makedirs(fake)
with open(os.path.join(fake, "torchprof"), "w") as file:
    file.write("#!/bin/sh\necho 'torchprof 9.9 (LibTorch 9.9.9)'\n")
os.chmod(file.name, 0o755)
expect("the runtime was built with LibTorch",
       python("import torchprof_jit; torchprof_jit.load_runtime()",
              TORCHPROF_HOME=os.path.dirname(fake)))

# No file without a probe, or when switched off.
assert "### There is no file" in documentation
for code, environment in ((LOAD, {}), (RUN, {"TORCHPROF": "off"})):
    python(code, TORCHPROF_FILE="none.tprof", **environment)
    assert not os.path.exists(os.path.join(folder, "none.tprof"))
reproduced += 1

print(reproduced, "messages reproduced")
