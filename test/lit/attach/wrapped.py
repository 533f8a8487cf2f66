"""A model that contains instrumented ones, whose probes are inlined into its own graph:
their methods are counted as without hooks, and none has the operators and the time of
what calls it. A process that profiles models without probes, too, says that it does not
profile the rest of such a model."""
# RUN: rm -rf %t && mkdir %t && %python -W ignore %s save %t
# RUN: torchprof-opt --quiet --instrument %t/inner.pt -o %t/probed.pt
# RUN: env TORCHPROF=off %python -W ignore %s wrap %t %runtime
# RUN: %python %s check %t %build | FileCheck %s
# CHECK: alone: forward 4
# CHECK: beside: forward 4
# CHECK: several: feats 4, forward 20
# CHECK: task: forward 8
# UNSUPPORTED: asan, tsan

import json
import os
import subprocess
import sys

if sys.argv[1] != "check":
    import torch

    from Inputs import forks

    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)

        @torch.jit.export
        def feats(self, x):
            return torch.tanh(self.layer(x))

        def forward(self, x):
            return torch.sigmoid(self.feats(x) * 2)

    class Wrapper(torch.nn.Module):
        def __init__(self, first, second):
            super().__init__()
            self.first = first
            self.second = second

    class Alone(Wrapper):
        """Its graph is its part's."""
        def forward(self, x):
            return self.first(x)

    class Beside(Wrapper):
        def forward(self, x):
            for _ in range(20):
                x = torch.cos(x * 1.5)
            y = self.first(x)
            return torch.mm(y, y.t())

    class Several(Wrapper):
        def forward(self, x):
            x = self.first(x) + self.second.feats(torch.exp(x))
            for i in range(3):
                x = self.second(x) + i
            if bool(x.sum() > -1000):
                x = self.first(x)
            return torch.mm(x, x.t())

    class Task(Wrapper):
        def forward(self, x):
            task = torch.jit.fork(self.first, x)
            return torch.exp(self.second(x)) + torch.jit.wait(task)

    WRAPPERS = (Alone, Beside, Several, Task)

    def wrap(folder, runtime):
        torch.ops.load_library(runtime)
        for kind in ("inner", "probed"):
            parts = [torch.jit.load(f"{folder}/{kind}.pt") for _ in range(2)]
            for wrapper in WRAPPERS:
                name = wrapper.__name__.lower()
                torch.jit.script(wrapper(*parts)).save(f"{folder}/{name}-{kind}.pt")

    def run(path):
        model = torch.jit.load(path)
        torch.manual_seed(0)
        with torch.no_grad():
            for _ in range(4):
                print(model(torch.randn(3, 4)).tolist())
        forks.rest()


def run_of(path, **environment):
    return subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "run", path], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, **environment))


def warnings_of(name):
    """None where the whole graph is a part's."""
    return [] if name == "alone" else [
        f"torchprof: warning: {name.capitalize()} is not profiled, but for the "
        "instrumented models in it; wrap their originals, or strip their files first"]


def report_of(path):
    return json.loads(subprocess.run(
        ["torchprof-report", "summary", path, "--ops", "--format=json", "--limit=0",
         "--columns=kind,name,key,calls"],
        check=True, stdout=subprocess.PIPE).stdout)


def check(folder, build):
    preload = build + "/lib/libtorchprof_preload.so"
    for name in ("alone", "beside", "several", "task"):
        wanted = run_of(f"{folder}/{name}-inner.pt").stdout
        reports = []
        for hooks in ("on", "off"):
            profile = f"{folder}/{name}-{hooks}.tprof"
            done = run_of(f"{folder}/{name}-probed.pt", LD_PRELOAD=preload,
                          TORCHPROF_FILE=profile, TORCHPROF_RECORD="ops",
                          TORCHPROF_HOOKS=hooks)
            assert done.stdout == wanted, (name, hooks, done.stdout, wanted)
            said = [line for line in done.stderr.splitlines()
                    if line.startswith("torchprof:")]
            assert said == (warnings_of(name) if hooks == "on" else []), (name, said)
            reports.append(report_of(profile))
        rows, counted = [sorted((row["kind"], row["name"], row["key"], row["calls"])
                                for row in report["rows"]) for report in reports]
        assert rows == counted, (name, rows, counted)
        footer = reports[0]["footer"]
        assert footer["unattributed_ns"] >= 0, (name, footer)
        # Without tasks all that is counted lies in a run.
        in_runs = footer["sum_of_nodes_ns"] + footer["unattributed_ns"]
        assert name == "task" or abs(in_runs - footer["total_ns"]) < 1, (name, footer)
        if name == "beside":
            for asked in ({"TORCHPROF_ATTACH": "off"}, {"TORCHPROF_METHODS": "feats"}):
                said = run_of(f"{folder}/{name}-probed.pt", LD_PRELOAD=preload,
                              TORCHPROF_FILE=f"{folder}/asked.tprof", **asked).stderr
                assert "is not profiled" not in said, (asked, said)
        methods = sorted((row["name"], row["calls"]) for row in reports[0]["rows"]
                         if row["kind"] == "method")
        print(name + ":", ", ".join("%s %d" % method for method in methods))


def main():
    what, folder, *rest = sys.argv[1:]
    if what == "save":
        torch.jit.script(Inner().eval()).save(folder + "/inner.pt")
    elif what == "wrap":
        wrap(folder, *rest)
    elif what == "run":
        run(folder)
    else:
        check(folder, *rest)


main()
