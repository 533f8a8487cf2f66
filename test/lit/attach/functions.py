"""Whose gradient an autograd function computes, where LibTorch has no differentiable
group: counts that are known, in each way to run backward. Run alone and attached,
the outputs are the same."""
# RUN: rm -rf %t && mkdir %t
# RUN: %python -W ignore %s all > %t/alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/all.tprof \
# RUN:   %python -W ignore %s all > %t/attached
# RUN: diff %t/alone %t/attached
# RUN: %python -W ignore %s check %t %build
#
# A file with probes follows the switch of gradients, too, where nothing is attached.
# RUN: %python -W ignore %s save %t/model.pt
# RUN: torchprof-opt --quiet --instrument %t/model.pt -o %t/instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_HOOKS=off \
# RUN:   TORCHPROF_FILE=%t/instr.tprof %python -W ignore %s load %t/instr.pt
# RUN: torchprof-report summary %t/instr.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,calls,backward_calls | FileCheck %s --check-prefix=FILE
# FILE-DAG: aten::tanh,3,3
# FILE-DAG: aten::sigmoid,3,3
# RUN: %python -W ignore %s save-with %t/with.pt
# RUN: torchprof-opt --quiet --instrument %t/with.pt -o %t/with-instr.pt
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_HOOKS=off \
# RUN:   TORCHPROF_FILE=%t/with.tprof %python -W ignore %s load-with %t/with-instr.pt
# RUN: torchprof-report summary %t/with.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,calls,backward_calls | FileCheck %s --check-prefix=FILE
# UNSUPPORTED: asan, tsan

import hashlib
import json
import os
import subprocess
import sys
import threading
from typing import Any

from Inputs import forks

CASES = {}


def case(**expected):
    """A function that runs a model, and what its profile must have: by node, the
    spans of its gradients."""
    def add(function):
        CASES[function.__name__] = (function, expected)
        return function
    return add


if sys.argv[1] != "check":
    import torch
    import torch.nn as nn
    import torch.utils.checkpoint
    from torch.utils.checkpoint import checkpoint

    # Later versions end a recomputation by an exception, which the interpreter
    # takes for an error.
    if hasattr(torch.utils.checkpoint, "set_checkpoint_early_stop"):
        to_the_end = torch.utils.checkpoint.set_checkpoint_early_stop(False)
        to_the_end.__enter__()
    # Without groups each operator is a function of autograd's.
    torch._C._jit_set_profiling_executor(False)

    class Layers(nn.Module):
        """first: linear (addmm and t), tanh, second: linear, sigmoid."""
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.second = nn.Linear(4, 4)

        def forward(self, x):
            return torch.sigmoid(self.second(torch.tanh(self.first(x))))

    class Switches(nn.Module):
        """A potential that takes care of its forces itself, whatever its host does."""
        def forward(self, x):
            torch.set_grad_enabled(True)
            x = x.detach().requires_grad_(True)
            y = torch.sigmoid(torch.mm(torch.tanh(x), x.t())).sum()
            slope = torch.autograd.grad([y], [x])[0]
            torch.set_grad_enabled(False)
            assert slope is not None
            return slope

    @torch.jit.script
    class GradientsOn:
        def __init__(self):
            self.were_on = False

        def __enter__(self):
            self.were_on = torch.is_grad_enabled()
            torch.set_grad_enabled(True)

        def __exit__(self, type: Any, value: Any, traceback: Any):
            torch.set_grad_enabled(self.were_on)

    class SwitchesWith(nn.Module):
        """The same with an object whose methods switch."""
        def forward(self, x):
            with GradientsOn():
                x = x.detach().requires_grad_(True)
                y = torch.sigmoid(torch.mm(torch.tanh(x), x.t())).sum()
                slope = torch.autograd.grad([y], [x])[0]
            assert slope is not None
            return slope

    def layers():
        torch.manual_seed(0)
        return torch.jit.script(Layers())

    def data(requires_grad=True):
        return torch.linspace(0, 1, 12).reshape(3, 4).requires_grad_(requires_grad)

    def digest(*tensors):
        found = hashlib.sha256()
        for tensor in tensors:
            found.update(tensor.detach().double().numpy().tobytes())
        print(found.hexdigest()[:16], flush=True)

    def gradients(model, x):
        digest(x.grad, *[p.grad for p in model.parameters()])


@case(tanh=5, sigmoid=5, parameters={"first": 15, "second": 10})
def host():
    model, x = layers(), data()
    for _ in range(5):
        model(x).sum().backward()
    gradients(model, x)


# What adds to a parameter's gradient is of the node that passed it on last: of the
# two calls of one layer, of the first. What the host's operators use is the host's.
@case(tanh=1, sigmoid=0, parameters={"layer": 2, "": 1})
def parameter_of_two_nodes():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            return self.layer(torch.tanh(self.layer(x)))

    torch.manual_seed(0)
    model, x = torch.jit.script(Twice()), data()
    model(x * 2).sum().backward()
    gradients(model, x)


@case(tanh=4, sigmoid=4)
def retained_twice():
    model, x = layers(), data()
    for _ in range(2):
        loss = model(x).sum()
        loss.backward(retain_graph=True)
        loss.backward()
    gradients(model, x)


@case(tanh=3, sigmoid=3)
def several_calls_before_one_backward():
    model, x = layers(), data()
    (model(x) + model(x) * model(x)).sum().backward()
    gradients(model, x)


@case(tanh=2, sigmoid=2)
def several_losses():
    model, x = layers(), data()
    y = model(x)
    torch.autograd.backward([y.sum(), (y * y).sum()], retain_graph=True)
    y.mean().backward()
    gradients(model, x)


# The second time, sigmoid's and tanh's own and what their gradients are made of:
# two functions each.
@case(tanh=(3, 9), sigmoid=(3, 9))
def double_backward():
    model, x = layers(), data()
    (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    (slope * slope).sum().backward()
    gradients(model, x)


@case(tanh=1, sigmoid=1)
def on_another_thread():
    model, x = layers(), data()
    loss = model(x).sum()
    worker = threading.Thread(target=loss.backward)
    worker.start()
    worker.join()
    gradients(model, x)


@case(tanh=12, sigmoid=12)
def on_threads_at_once():
    model = layers()
    found = {}

    def work(number):
        for _ in range(3):
            x = data()
            found[number] = torch.autograd.grad(model(x).sum(), x)[0]

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    digest(*[found[i] for i in sorted(found)])


@case(tanh=1, sigmoid=1, calls=2)
def checkpointed_reentrant():
    model, x = layers(), data()
    checkpoint(model, x, use_reentrant=True).sum().backward()
    gradients(model, x)


@case(tanh=1, sigmoid=1, calls=2)
def checkpointed():
    model, x = layers(), data()
    checkpoint(model, x, use_reentrant=False).sum().backward()
    gradients(model, x)


@case(tanh=1, sigmoid=1, outside={"TwiceBackward": 4, "HalfBackward": 2})
def custom_functions():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, slope):
            return slope * 2

    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x / 2

        @staticmethod
        def backward(ctx, slope):
            return slope / 2

    model, x = layers(), data()
    y = model(x)
    for _ in range(2):
        y = Twice.apply(Half.apply(Twice.apply(y)))
    y.sum().backward()
    gradients(model, x)


@case(tanh=2, sigmoid=2)
def hooks():
    model, x = layers(), data()
    y = model(x)
    # A hook that runs the model, whose backward runs inside of the outer one.
    def again(slope):
        with torch.enable_grad():
            return slope + torch.autograd.grad(model(x).sum(), x)[0]

    y.register_hook(again)
    y.sum().backward()
    gradients(model, x)


@case(tanh=1, sigmoid=2)
def exception():
    model, x = layers(), data()

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, slope):
            raise ValueError("in backward")

    second = torch.jit.script(nn.Sequential(nn.Sigmoid()))
    try:
        second(Fails.apply(x)).sum().backward()
    except ValueError as error:
        print(error)
    model(x).sum().backward()
    gradients(model, x)


@case(tanh=0, sigmoid=0)
def no_grad_and_inference():
    model, x = layers(), data()
    with torch.no_grad():
        digest(model(x))
    with torch.inference_mode():
        digest(model(x))
    y = (model(x.detach()).detach() * x).sum()
    y.backward()
    digest(x.grad)


@case(tanh=3, sigmoid=3)
def switched_on_inside(file=None):
    model = torch.jit.load(file) if file else torch.jit.script(Switches())
    x = data(False)
    for _ in range(3):
        with torch.no_grad():
            digest(model(x))


@case(tanh=3, sigmoid=3)
def switched_on_by_an_object(file=None):
    model = torch.jit.load(file) if file else torch.jit.script(SwitchesWith())
    for _ in range(3):
        with torch.no_grad():
            digest(model(data(False)))


@case(tanh=1, sigmoid=1)
def trained_again_after_no_grad():
    model, x = layers(), data()
    for _ in range(3):
        with torch.no_grad():
            model(x)
    model(x).sum().backward()
    gradients(model, x)


@case(tanh=1, sigmoid=1)
def forked():
    model, x = layers(), data()
    loss = model(x).sum()
    child = os.fork()
    if child == 0:
        # The child goes on with its parent's graph, and has a profile.
        gradient = torch.autograd.grad(loss, x)[0]
        model(x)
        sys.stdout.flush()
        forks.rest()
        os._exit(0 if gradient.abs().sum() > 0 else 1)
    print("child", os.waitpid(child, 0)[1])
    loss.backward()
    gradients(model, x)


def main():
    if sys.argv[1] == "all":
        for name, (function, _) in CASES.items():
            print(name, flush=True)
            function()
    elif sys.argv[1] == "save":
        torch.jit.script(Switches()).save(sys.argv[2])
    elif sys.argv[1] == "save-with":
        torch.jit.script(SwitchesWith()).save(sys.argv[2])
    elif sys.argv[1] == "load":
        switched_on_inside(sys.argv[2])
    elif sys.argv[1] == "load-with":
        switched_on_by_an_object(sys.argv[2])
    elif sys.argv[1] != "check":
        CASES[sys.argv[1]][0]()
    if sys.argv[1] != "check":
        forks.rest()
        return
    folder, build = sys.argv[2:]
    for name, (_, expected) in CASES.items():
        profile = os.path.join(folder, name + ".tprof")
        environment = dict(os.environ, TORCHPROF_FILE=profile, LD_PRELOAD=(
            build + "/lib/libtorchprof_preload.so"))
        subprocess.run([sys.executable, "-W", "ignore", __file__, name],
                       check=True, stdout=subprocess.DEVNULL, env=environment)
        paths = [profile]
        child = profile[:-len(".tprof")] + ".1.tprof"
        if name == "forked":
            paths.append(child)
        assert os.path.exists(child) == (name == "forked"), name
        for path in paths:
            check(name, path, expected)
    print(len(CASES), "cases")


def check(name, path, expected):
    report = subprocess.run(
        ["torchprof-report", "summary", path, "--format=json", "--limit=0",
         "--columns=kind,name,module,calls,total_ns,self_ns,backward_calls"],
        check=True, stdout=subprocess.PIPE)
    document = json.loads(report.stdout)
    rows = document["rows"]
    calls = {}
    for row in rows:
        calls[row["kind"]] = (calls.get(row["kind"], 0) +
                              (row["backward_calls"] or 0))
    for node in ("tanh", "sigmoid"):
        found = calls.get("aten::" + node, 0)
        wanted = expected[node]
        if isinstance(wanted, tuple):
            assert wanted[0] <= found <= wanted[1], (name, node, found, rows)
        else:
            assert found == wanted, (name, node, found, rows)
    if "calls" in expected:
        (method,) = [row for row in rows if row["kind"] == "method"
                     and row["name"] == "forward"]
        assert method["calls"] == expected["calls"], (name, rows)
    if "outside" in expected:
        for kind, count in expected["outside"].items():
            (row,) = [row for row in rows if row["name"] == kind]
            assert row["kind"] == "backward" and row["calls"] == count, (name, row)
    if "parameters" in expected:
        found = {row["module"]: row["calls"] for row in rows
                 if row["name"].split()[0] == "AccumulateGrad"}
        assert found == expected["parameters"], (name, found)
    for row in rows:
        assert row["self_ns"] is None or row["self_ns"] >= 0, (name, row)
    footer = document["footer"]
    assert footer["unfinished"] == footer["lost"] == 0, (name, footer)


main()
