#!/usr/bin/env python3
"""How much of backward's time is told apart, and whether it is the truth.

  gradients.py WORK --build BUILD [--steps N] [--only NAME...]

Models train, or differentiate themselves, in a process that torchprof is attached
to. Prints a JSON object per model: what the host's clock says of backward (or the
node aten::grad), what all gradients' rows add up to, and how much of that is of
nodes, of the engine and of others. In a second process torch.profiler records at the
same time; its events of what the engine evaluates are compared with the rows of the
same functions.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from typing import List, Optional

import torch
import torch.nn as nn

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "speed"))
from workloads import import_torchvision  # noqa: E402

# As wide as those who use such models make them: the defaults of torch.nn's layer and
# of SchNetPack. In a backward of a millisecond or two it is the host's and the
# engine's share that is measured.
WARM_STEPS = 5
EVALUATION = "autograd::engine::evaluate_function: "


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(256, 256, 2)
        self.head = nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.cell(x)[0][-1])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(512, 8, dropout=0.0)
        self.layers = nn.ModuleList([layer, layer])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.mean(0)


def forces_of(energy, positions):
    # type: (torch.Tensor, torch.Tensor) -> torch.Tensor
    ones: List[Optional[torch.Tensor]] = [torch.ones_like(energy)]
    slope = torch.autograd.grad([energy], [positions], ones)[0]
    assert slope is not None
    return -slope


class Convolution(nn.Module):
    """A continuous-filter convolution over a neighbour list."""
    def __init__(self, width: int, basis: int):
        super().__init__()
        self.filters = nn.Sequential(nn.Linear(basis, width), nn.Softplus(),
                                     nn.Linear(width, width))
        self.inside = nn.Linear(width, width, bias=False)
        self.outside = nn.Linear(width, width)

    def forward(self, x, basis, source, target):
        messages = self.inside(x).index_select(0, source) * self.filters(basis)
        return self.outside(torch.zeros_like(x).index_add(0, target, messages))


class Schnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 128)
        self.register_buffer("centres", torch.linspace(0, 5, 50))
        self.layers = nn.ModuleList([Convolution(128, 50) for _ in range(6)])
        self.out = nn.Sequential(nn.Linear(128, 64), nn.Softplus(),
                                 nn.Linear(64, 1))

    def forward(self, positions, kinds, source, target):
        positions = positions.requires_grad_(True)
        apart = positions.index_select(0, target) - positions.index_select(
            0, source)
        distance = (apart * apart).sum(-1, keepdim=True).add(1e-6).sqrt()
        basis = torch.exp(-4 * (distance - self.centres) ** 2)
        x = self.embedding(kinds)
        for layer in self.layers:
            x = x + layer(x, basis, source, target)
        energy = self.out(x).sum()
        return energy.detach(), forces_of(energy, positions)


class Interaction(nn.Module):
    """Each part of a filter has a layer of its own: LibTorch's backward of a chunk of
    a Linear fails in a differentiable group (1.13 and 2.13)."""
    def __init__(self, width: int, waves: int):
        super().__init__()
        self.weigh, self.keep, self.turn = [nn.Linear(waves, width)
                                            for _ in range(3)]
        self.update, self.gate = [nn.Linear(2 * width, width) for _ in range(2)]

    def forward(self, scalars, vectors, basis, direction, source, target):
        near = scalars.index_select(0, source)
        scalars = scalars.index_add(0, target, self.weigh(basis) * near)
        push = self.keep(basis).unsqueeze(-1) * vectors.index_select(0, source)
        push = push + (self.turn(basis) * near).unsqueeze(-1) * direction
        vectors = vectors.index_add(0, target, push)
        length = (vectors * vectors).sum(-1).add(1e-6).sqrt()
        both = torch.cat([scalars, length], 1)
        scalars = scalars + torch.tanh(self.update(both))
        return scalars, vectors * torch.sigmoid(self.gate(both)).unsqueeze(-1)


class Equivariant(nn.Module):
    """Scalars and vectors that talk to each other along a neighbour list."""
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 128)
        self.layers = nn.ModuleList([Interaction(128, 20) for _ in range(3)])
        self.out = nn.Linear(128, 1)
        self.register_buffer("waves", torch.arange(1, 21).float())

    def forward(self, positions, kinds, source, target):
        positions = positions.requires_grad_(True)
        apart = positions.index_select(0, target) - positions.index_select(
            0, source)
        distance = (apart * apart).sum(-1, keepdim=True).add(1e-6).sqrt()
        direction = (apart / distance).unsqueeze(1)
        basis = torch.sin(self.waves * distance) / distance
        scalars = self.embedding(kinds)
        vectors = torch.zeros([scalars.size(0), 128, 3])
        for layer in self.layers:
            scalars, vectors = layer(scalars, vectors, basis, direction, source,
                                     target)
        energy = self.out(scalars).sum()
        return energy.detach(), forces_of(energy, positions)


def resnet18():
    return import_torchvision().models.resnet18()  # not there with every LibTorch


def atoms():
    positions = torch.rand(96, 3) * 8
    near = torch.cdist(positions, positions) < 4
    near.fill_diagonal_(False)
    source, target = near.nonzero().unbind(1)
    return positions, torch.randint(0, 10, (96,)), source, target


TRAINED = {
    "resnet18": (resnet18, lambda: (torch.rand(2, 3, 96, 96),)),
    "lstm": (Lstm, lambda: (torch.rand(30, 16, 256),)),
    "encoder": (Encoder, lambda: (torch.rand(32, 8, 512),)),
}
POTENTIALS = {"schnet": (Schnet, atoms), "equivariant": (Equivariant, atoms)}


def work(name, steps, with_profiler):
    """In the attached process: steps that are recorded, and their host time."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    make, inputs = {**TRAINED, **POTENTIALS}[name]
    model, data = torch.jit.script(make()), inputs()
    waited = 0

    def step():
        nonlocal waited
        outputs = model(*data)
        if name in POTENTIALS:
            return
        loss = outputs.square().mean()
        begin = time.perf_counter_ns()
        loss.backward()
        waited += time.perf_counter_ns() - begin
        model.zero_grad()

    for _ in range(WARM_STEPS):
        step()
    torch.ops.torchprof.reset()
    waited = 0
    if not with_profiler:
        for _ in range(steps):
            step()
        print(json.dumps({"host_ns": waited}))
        return
    with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(steps):
            step()
    functions = {}
    for event in profiler.events():
        if event.name.startswith(EVALUATION) and "Backward" in event.name:
            function = event.name[len(EVALUATION):].split("::")[-1]
            functions.setdefault(function, []).append(
                1e3 * event.cpu_time_total)
    print(json.dumps({"functions": {function: [len(times), sum(times)]
                                    for function, times in functions.items()}}))


def attached(arguments, name, *options):
    """What the process printed, and the report's rows and footer."""
    profile = os.path.join(arguments.work, "gradients.tprof")
    if os.path.exists(profile):
        os.unlink(profile)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--inside", name, *options,
         "--steps", str(arguments.steps)], check=True, stdout=subprocess.PIPE,
        universal_newlines=True, env=dict(
            os.environ, TORCHPROF_FILE=profile, LD_PRELOAD=os.path.join(
                arguments.build, "lib", "libtorchprof_preload.so")))
    report = subprocess.run(
        [os.path.join(arguments.build, "bin", "torchprof-report"), "summary",
         profile, "--format=json", "--limit=0", "--columns=kind,name,module,"
         "calls,total_ns,self_ns,backward_ns,backward_calls"],
        check=True, stdout=subprocess.PIPE, universal_newlines=True)
    document = json.loads(report.stdout)
    return json.loads(done.stdout), document["rows"], document["footer"]


def measure(arguments, name):
    if name == "resnet18":
        resnet18()  # says what is missing
    host, rows, footer = attached(arguments, name)
    gradients = [row for row in rows if row["kind"] == "backward"]
    of_nodes = sum(row["backward_ns"] or 0 for row in rows
                   if row["kind"] not in ("method", "backward"))
    of_methods = sum(row["backward_ns"] or 0 for row in rows
                     if row["kind"] == "method")
    asked = host["host_ns"] or sum(row["total_ns"] for row in rows
                                   if row["kind"] == "aten::grad")
    # In a model that differentiates itself the node has the engine's time.
    engine = sum(row["self_ns"] for row in rows if row["kind"] == "aten::grad"
                 or (row["kind"], row["name"]) == ("backward", "(engine)"))
    whole = sum(row["self_ns"] for row in gradients) + sum(
        row["self_ns"] for row in rows if row["kind"] == "aten::grad")
    beside, rows, _ = attached(arguments, name, "--profiler")
    functions = []
    for function, (count, total) in beside["functions"].items():
        same = [row for row in rows
                if row["kind"] == "backward"
                and row["name"].split()[0] == function]
        calls = sum(row["calls"] for row in same)
        ours = sum(row["total_ns"] for row in same)
        functions.append({
            "function": function, "calls": calls, "profiler_calls": count,
            "ns": ours, "profiler_ns": total})
    return {"model": name, "steps": arguments.steps,
            "asked_ns": asked / arguments.steps,
            "gradients_pct": 100 * whole / asked,
            "nodes_pct": 100 * of_nodes / asked,
            "methods_pct": 100 * of_methods / asked,
            "engine_pct": 100 * engine / asked,
            "outside_pct": 100 * (whole - of_nodes - of_methods - engine) / asked,
            "lost": footer["lost"], "functions": functions}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", nargs="?")
    parser.add_argument("--build")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--inside")
    parser.add_argument("--profiler", action="store_true")
    arguments = parser.parse_args()
    if arguments.inside:
        return work(arguments.inside, arguments.steps, arguments.profiler)
    for name in arguments.only or [*TRAINED, *POTENTIALS]:
        try:
            row = measure(arguments, name)
        except ImportError as error:
            row = {"model": name, "absent": str(error)}
        print(json.dumps(row), flush=True)


main()
