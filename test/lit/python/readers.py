"""Results are read while other threads record for the same profile: what a reader has
begun with stays until it has ended."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s

import threading
from unittest import mock

import torch

import torchprof_jit
from torchprof_jit import _tools


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


x = torch.rand(8)
model = torchprof_jit.instrument(Model())
run_tool = _tools.run_tool


def calls(p):
    return {row["kind"]: row["calls"] for row in p.rows()}["aten::relu"]


def call_in_thread(p):
    thread = threading.Thread(target=p, args=(x,))
    thread.start()
    thread.join()


def calls_meanwhile(p):
    """The same, where another thread records before each tool starts; and the tools'
    commands."""
    commands = []

    def run_late(name, command, *arguments):
        commands.append(command)
        call_in_thread(p)
        return run_tool(name, command, *arguments)

    with mock.patch.object(_tools, "run_tool", run_late):
        return calls(p), commands


for threads in ("all", "current"):
    p = torchprof_jit.profile(model, threads=threads)
    p(x)
    print(threads, *calls_meanwhile(p), "then", calls(p))
# CHECK: all 1 ['summary'] then 2
# CHECK-NEXT: current 1 ['convert', 'summary'] then 3

call_in_thread(p)
print("joined", *calls_meanwhile(p), "then", calls(p))
# CHECK-NEXT: joined 4 ['convert', 'merge', 'summary'] then 7
