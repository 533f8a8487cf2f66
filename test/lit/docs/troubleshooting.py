"""Each message in docs/troubleshooting.md is one that a user really sees."""
# UNSUPPORTED: asan, tsan
# RUN: rm -rf %t && mkdir %t
# RUN: %python -W ignore %s %source/docs/troubleshooting.md %runtime %cxx %t \
# RUN:   | FileCheck %s
# CHECK: 23 messages reproduced

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import zipfile

import torch
import torchprof_jit

page, runtime, compiler, folder = sys.argv[1:]
with open(page) as file:
    documentation = file.read()
reproduced = 0


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def python(code, keep=(), **environment):
    """Runs code in a new process; returns what it prints, errors too."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "import torch\n" + code],
        cwd=folder,
        env={**os.environ, **environment},
        pass_fds=keep,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    return done.stdout


seen = []


def expect(message, output):
    """The message, with ... for what differs, heads an entry and is in the
    output."""
    global reproduced
    seen.extend(heading for heading in re.findall(r"(?m)^### (.*)$", documentation)
                if message in heading)
    assert message in documentation, message
    pattern = ".*".join(re.escape(part) for part in message.split("..."))
    assert re.search(pattern, output), (message, output)
    reproduced += 1


# The page's own line, with where this build has the library.
LOAD = re.search(r"`(torch\.ops\.load_library\(.*?\))`", documentation)[1].replace(
    "/PREFIX/lib", os.path.dirname(runtime)) + "\n"
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

python("m = torch.jit.script(torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1)))\n"
       "torch.jit.optimize_for_inference(m.eval()).save('optimized.pt')")
expect("required keyword attribute 'value' is undefined",
       python("torch.jit.load('optimized.pt')"))

expect("warning: ...: cannot create the profile: ...; recording in memory only",
       python(RUN, TORCHPROF_FILE="/nonesuch/x.tprof"))

taken = os.open(os.path.join(folder, "taken.tprof"), os.O_RDWR | os.O_CREAT)
os.write(taken, b"\x89TPROF\r\n")
expect("cannot create the profile: it already holds a profile",
       python(RUN, TORCHPROF_FILE="fd:%d" % taken, keep=(taken,)))

# Children of fork, and windows without a name.
expect("cannot create the profile: TORCHPROF_OPEN=early opens no more files",
       python(LOAD + "import os\nm = torch.jit.load('instr.pt')\n"
              "if os.fork() == 0: m(torch.ones(2))\nelse: os.wait()",
              TORCHPROF_OPEN="early"))
expect("warning: ...: cannot write a snapshot: ...",
       python(RUN + "torch.ops.torchprof.snapshot('/nonesuch/x')",
              TORCHPROF_FILE="whole.tprof"))

limit = ("import resource\n"
         "resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))\n")
expect("warning: ...: cannot grow the profile: ...", python(limit + RUN))

expect("warning: unknown variable TORCHPROF_...",
       python(RUN, TORCHPROF_NONSENSE="1"))

# The Python package refuses a runtime of another LibTorch before it loads it.
preload = os.path.join(os.path.dirname(runtime), "libtorchprof_preload.so")
lib = os.path.join(folder, "prefix", "lib")
os.makedirs(os.path.join(lib, "torchprof", "0123"))
lonely = shutil.copy(preload, lib)
with open(os.path.join(lib, "torchprof", "0123", "libtorch.txt"), "w") as file:
    file.write("9.9.9\n")
os.makedirs(os.path.join(folder, "elsewhere"))
package = shutil.copytree(os.path.dirname(torchprof_jit.__file__),
                          os.path.join(folder, "elsewhere", "torchprof_jit"))
expect("torch ...: no runtime for ...",
       python("import torchprof_jit; torchprof_jit.load_runtime()",
              TORCHPROF_HOME=os.path.dirname(lib), PATH="/usr/bin:/bin",
              PYTHONPATH=os.path.dirname(package)))

expect("warning: cannot attach, models run without: ...",
       python("torch.jit.load('model.pt')(torch.ones(2))", LD_PRELOAD=lonely))

expect("warning: ... is not profiled, but for the instrumented models in it",
       python("part = torch.jit.load('instr.pt')\n"
              "torch.jit.script(torch.nn.Sequential(part, torch.nn.Tanh()))("
              "torch.ones(2))", LD_PRELOAD=preload, TORCHPROF_FILE="part.tprof"))

expect("warning: ... ran no TorchScript model that could be recorded: "
       "there is nothing to show",
       subprocess.run(["torchprof", "record", "--", "/bin/true"], cwd=folder,
                      stderr=subprocess.PIPE, universal_newlines=True).stderr)

expect("warning: ... is set, so ... recorded: there is nothing to show",
       subprocess.run(["torchprof", "record", "--", "/bin/true"], cwd=folder,
                      env=dict(os.environ, TORCHPROF_ATTACH="off"),
                      stderr=subprocess.PIPE, universal_newlines=True).stderr)

# Libraries with LibTorch's names and nothing of it: another version.
other = os.path.join(folder, "other")
os.makedirs(other)
with open(os.path.join(other, "empty.cpp"), "w") as file:
    pass
needed = subprocess.run(["readelf", "-d", runtime], check=True,
                        stdout=subprocess.PIPE, universal_newlines=True).stdout
for name in re.findall(r"\[(lib(?:torch|c10)[^]]*)\]", needed):
    subprocess.run([compiler, "-shared", "-Wl,-soname," + name, file.name, "-o",
                    os.path.join(other, name)], check=True)
expect("undefined symbol",
       subprocess.run(
           ["/bin/sh", "-c", "LD_BIND_NOW=1 LD_PRELOAD=%s /bin/true" % runtime],
           env={**os.environ, "LD_LIBRARY_PATH": other},
           stderr=subprocess.PIPE, universal_newlines=True).stderr)


def reproduce(heading, condition):
    """An entry without a message: what it says is so."""
    global reproduced
    assert "### " + heading + "\n" in documentation, heading
    seen.append(heading)
    assert condition, heading
    reproduced += 1


def tool(*words):
    return subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


# No file without a probe, when switched off, before a schedule is active.
left = []
for code, environment in ((LOAD, {}), (RUN, {"TORCHPROF": "off"}),
                          (RUN, {"TORCHPROF_SCHEDULE": "wait=9,active=1"})):
    python(code, TORCHPROF_FILE="none.tprof", **environment)
    left.append(os.path.exists(os.path.join(folder, "none.tprof")))
reproduce("There is no file", not any(left))

# Without the option the filter ends the host when the first probe runs.
closed = subprocess.run(
    [os.path.join(os.path.dirname(os.path.dirname(runtime)), "test", "programs",
                  "closed"), "instr.pt", "1"],
    cwd=folder, env={**os.environ, "LD_PRELOAD": runtime},
    stdout=subprocess.DEVNULL)
reproduce("The process is killed with SIGSYS when its model runs",
          closed.returncode == -signal.SIGSYS)

python(RUN, TORCHPROF_FILE="%h.tprof")
reproduce("Containers", os.path.exists(
    os.path.join(folder, socket.gethostname() + ".tprof")))

python(LOAD + "torch.ops.torchprof.start()\n"
       "m = torch.jit.load('instr.pt')\nm(torch.ones(2))\n"
       "torch.ops.torchprof.stop()\ntorch.ops.torchprof.reset()\n"
       "m(torch.ones(2))", TORCHPROF_FILE="stopped.tprof")
stopped = tool("torchprof-report", "summary", "stopped.tprof", "--format=csv")
reproduce("Nothing but `Total 0`, or no rows", stopped.count("\n") == 1)

pairs = LOAD + ("m = torch.jit.load('instr.pt')\n"
                "with torch.set_grad_enabled(GRAD):\n"
                "    for _ in range(4): m(torch.ones(2, requires_grad=GRAD))\n"
                "print(torch.ops.torchprof.stats())")
lowered = [int(re.search(r"lowered_pairs'?: (\d+)", python(
    pairs.replace("GRAD", grad), TORCHPROF_FILE="grad.tprof")).group(1))
    for grad in ("True", "False")]
reproduce("Probes cost more than expected", lowered[0] == 0 < lowered[1])


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Model()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.inner(self.linear(x))


def inlined(module):
    torch._C._jit_pass_inline(module.graph)
    return module


paths = {}
for name, change in (("whole", lambda m: m), ("frozen", torch.jit.freeze),
                     ("inlined", inlined)):
    path = os.path.join(folder, name + ".pt")
    change(torch.jit.script(Outer().eval())).save(path)
    paths[name] = tool("torchprof-opt", "--print-sites", path)
reproduce("Module paths are `?` or missing",
          " in inner" in paths["whole"] and " in ?" in paths["inlined"]
          and not re.search(" in (inner|linear)", paths["frozen"]))



class Convolutions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.second = torch.nn.Conv2d(8, 8, 3)

    def forward(self, x):
        return self.second(torch.relu(self.norm(self.first(x))))


# Freezing an instrumented model folds as much, and keeps the paths; layouts are
# converted around each convolution instead of once.
torch.jit.script(Convolutions().eval()).save(os.path.join(folder, "conv.pt"))
tool("torchprof-opt", "--quiet", "--instrument", "conv.pt", "-o", "probed.pt")
ORDER = LOAD + """
def count(kind, path, change):
    model = change(torch.jit.load(path).eval())
    if kind == 'calls':
        with torch.no_grad(): model(torch.ones(1, 3, 8, 8))
        return 1
    return str(model.graph).count(kind + '(')
freeze, optimize = torch.jit.freeze, torch.jit.optimize_for_inference
print([count('aten::batch_norm', p, freeze) for p in ('conv.pt', 'probed.pt')],
      [count('aten::to_mkldnn', p, optimize) for p in ('conv.pt', 'probed.pt')],
      count('calls', 'probed.pt', freeze))
"""
counts = python(ORDER, TORCHPROF_FILE="order.tprof")
match = re.search(r"\[0, 0\] \[(\d+), (\d+)\] 1", counts)
rows = tool("torchprof-report", "summary", "order.tprof", "--format=csv",
            "--columns=kind,module,calls")
reproduce("Instrument before or after freezing and optimizing?",
          match and int(match.group(1)) < int(match.group(2))
          and "aten::conv2d,first,1" in rows)

for heading in re.findall(r"(?m)^### (.*)$", documentation):
    assert heading in seen, "not reproduced: " + heading
print(reproduced, "messages reproduced")
