"""Schedules, threads, and several ranges at a time."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s

import json
import os
import sys
import threading

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


x = torch.rand(8)
model = torchprof_jit.instrument(Model())
assert torchprof_jit.instrument(model) is model


def calls(p):
    return {row["kind"]: row["calls"] for row in p.rows()}


def ready(p):
    print("cycle after step", p.step_number, "calls", calls(p)["aten::relu"])


for make in (torchprof_jit.schedule, torch.profiler.schedule):
    steps = make(skip_first=1, wait=1, warmup=1, active=2, repeat=2)
    with torchprof_jit.profile(
        model, schedule=steps, on_trace_ready=ready
    ) as p:
        for _ in range(12):
            model(x)
            p.step()
# CHECK: cycle after step 5 calls 2
# CHECK-NEXT: cycle after step 9 calls 2
# CHECK-NEXT: cycle after step 5 calls 2
# CHECK-NEXT: cycle after step 9 calls 2

# A range that still records at its end is ready, too: one without a schedule, and a
# cycle that was cut short.
with torchprof_jit.profile(model, on_trace_ready=ready):
    model(x)
with torchprof_jit.profile(model, schedule=torchprof_jit.schedule(
        wait=1, warmup=0, active=3), on_trace_ready=ready) as p:
    for _ in range(3):
        model(x)
        p.step()
with torchprof_jit.profile(model, schedule=torchprof_jit.schedule(
        wait=1, warmup=0, active=1), on_trace_ready=ready) as p:
    for _ in range(2):
        model(x)
        p.step()
# CHECK-NEXT: cycle after step 0 calls 1
# CHECK-NEXT: cycle after step 3 calls 2
# CHECK-NEXT: cycle after step 2 calls 1

# Nobody is told of nothing: an empty range, a cycle that has only begun, and one that
# an exception left before the model ran. What was recorded before is no result of an
# empty range, but that of the last cycle stays until another one has recorded something.
with torchprof_jit.profile(model, on_trace_ready=ready, with_stack=True,
                           with_modules=True, activities=None) as p:
    pass
with torchprof_jit.profile(model, schedule=torchprof_jit.schedule(
        wait=0, warmup=0, active=2), on_trace_ready=ready) as p:
    for _ in range(2):
        model(x)
        p.step()
print("left", calls(p)["aten::relu"])
with p:
    pass
try:
    p.file
    print("a file of nothing")
except RuntimeError:
    pass
try:
    with torchprof_jit.profile(model, on_trace_ready=lambda p: p.summary()):
        raise KeyError("mine")
except KeyError as error:
    print("raised", error)
# CHECK-NEXT: cycle after step 2 calls 2
# CHECK-NEXT: left 2
# CHECK-NEXT: raised 'mine'

# Nor of what another thread has recorded, where only this one counts.
with torchprof_jit.profile():
    other = threading.Thread(target=model, args=(x,))
    other.start()
    other.join()
    try:
        with torchprof_jit.profile(threads="current",
                                   on_trace_ready=lambda p: print("told")) as p:
            raise KeyError("mine")
    except KeyError as error:
        print("raised", error)
    try:
        p.file
        print("a file of nothing")
    except RuntimeError:
        pass
# CHECK-NEXT: raised 'mine'

# A host that fails leaves it the cycle that it was to look at.
def look(p):
    raise KeyError("host's")


try:
    with torchprof_jit.profile(model, threads="current", on_trace_ready=look,
                               schedule=torchprof_jit.schedule(
                                   wait=0, warmup=0, active=1)) as p:
        model(x)
        p.step()
except KeyError:
    print("failed", calls(p)["aten::relu"])
# CHECK-NEXT: failed 1

# A host that fails ends neither the schedule nor later cycles.
def fail(p):
    if p.step_number == 3:
        raise KeyError("host's")
    ready(p)


with torchprof_jit.profile(model, schedule=torchprof_jit.schedule(
        wait=0, warmup=0, active=1), on_trace_ready=fail) as p:
    for times in range(1, 6):
        for _ in range(times):
            model(x)
        try:
            p.step()
        except KeyError as error:
            print("raised", error, "in step", p.step_number)
# CHECK-NEXT: cycle after step 1 calls 1
# CHECK-NEXT: cycle after step 2 calls 2
# CHECK-NEXT: raised "host's" in step 3
# CHECK-NEXT: cycle after step 4 calls 4
# CHECK-NEXT: cycle after step 5 calls 5

# A child of fork that ends leaves its parent's results, and ranges of several
# processes do not meet.
with torchprof_jit.profile(model) as p:
    model(x)
again = torchprof_jit.profile(model)
for times in (2, 3):
    child = os.fork()
    if not child:
        with again:
            for _ in range(times):
                model(x)
        print("child", calls(again)["aten::relu"], flush=True)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
print("parent", calls(p)["aten::relu"])
# CHECK-NEXT: child 2
# CHECK-NEXT: child 3
# CHECK-NEXT: parent 1

try:
    torchprof_jit.schedule(wait=0, warmup=0, active=0)
except ValueError as error:
    print(error)
# CHECK-NEXT: steps must be 0 or more, and active above 0


def record(threads):
    with torchprof_jit.profile(threads=threads) as p:
        model(x)
        other = threading.Thread(target=lambda: [model(x) for _ in range(4)])
        other.start()
        other.join()
    return calls(p)["aten::relu"]


print("all", record("all"), "current", record("current"))
# CHECK-NEXT: all 5 current 1

p = torchprof_jit.profile(model)
with p:
    try:
        p.__enter__()
    except RuntimeError as error:
        print(error)
# CHECK-NEXT: this profile has a range open already

try:
    p.file
except RuntimeError as error:
    print(error)
# CHECK-NEXT: nothing was recorded: no TorchScript model ran inside the range that is instrumented {{.*}} made{{$}}
# Who only asks how long its runs took learns that there are none.
print(p.runs())
try:
    p.runs("Model.forward")
except KeyError as error:
    print(error)
# CHECK-NEXT: []
# CHECK-NEXT: no run of 'Model.forward' was recorded

# An eager module is not the one that is recorded, of which the error tells.
eager = Model()
with torchprof_jit.profile(eager, schedule=torchprof_jit.schedule(
        wait=0, warmup=0, active=1)) as p:
    eager(x)
try:
    p.summary()
except RuntimeError as error:
    print(error)
# CHECK-NEXT: nothing was recorded: {{.*}} made, or none did in an active step of the schedule; call p.module, which is not the module that was passed in{{$}}

# Results are those of ranges and cycles that have ended. In the first one the error
# says so, though the model that was passed in is not the one to call.
for steps in (None, torchprof_jit.schedule(wait=0, warmup=0, active=2)):
    with torchprof_jit.profile(Model(), schedule=steps) as p:
        p.module(x)
        try:
            p.summary()
        except RuntimeError as error:
            print(error, p.runs())
    with p:
        p.module(x)
        p.module(x)
        print("before", calls(p)["aten::relu"])
    print("ended", calls(p)["aten::relu"])
# CHECK-NEXT: {{^}}no results yet: the range is open; ask when it has ended []
# CHECK-NEXT: before 1
# CHECK-NEXT: ended 2
# CHECK-NEXT: {{^}}no results yet: the range is open; ask when it, or this cycle, has ended []
# CHECK-NEXT: before 1
# CHECK-NEXT: ended 2


# Ranges in each other have what ran in them, whatever begins inside.
def nested(outer_threads, inner_threads):
    with torchprof_jit.profile(threads=outer_threads) as outer:
        model(x)
        with torchprof_jit.profile(threads=inner_threads) as inner:
            model(x)
            model(x)
        model(x)
        with torchprof_jit.profile(threads=inner_threads) as second:
            model(x)
            with torchprof_jit.profile(threads=inner_threads) as innermost:
                pass
            model(x)
        model(x)
    try:
        innermost.file
        assert False
    except RuntimeError:
        pass
    for p in (outer, inner, second):
        # All that was begun has ended: nothing is cut or open.
        footer = json.loads(p.report("summary", "--format=json"))["footer"]
        assert footer["cut"] == footer["unfinished"] == 0, footer
    return [calls(p)["aten::relu"] for p in (outer, inner, second)]


for outer_threads in ("all", "current"):
    for inner_threads in ("all", "current"):
        print(nested(outer_threads, inner_threads))
# CHECK-NEXT: [7, 2, 2]
# CHECK-NEXT: [7, 2, 2]
# CHECK-NEXT: [7, 2, 2]
# CHECK-NEXT: [7, 2, 2]

# One may end before another that began in it.
first = torchprof_jit.profile()
last = torchprof_jit.profile()
first.__enter__()
model(x)
last.__enter__()
model(x)
first.__exit__()
model(x)
last.__exit__()
print([calls(p)["aten::relu"] for p in (first, last)])
# CHECK-NEXT: [2, 2]

# Calls add up, whoever records in between.
p, q = torchprof_jit.profile(model), torchprof_jit.profile(model)
for _ in range(40):
    p(x)
    p(x)
    q(x)
print([calls(each)["aten::relu"] for each in (p, q)], len(p.runs()))
# CHECK-NEXT: [80, 40] 80
# The first calls are those of all the ranges.
name, = (row["name"] for row in q.rows() if row["kind"] == "aten::relu")
print([len(each.node_runtimes(name)) for each in (p, q)])
# CHECK-NEXT: [5, 5]

# So do calls of several threads, whichever ends first.
class Handover(torch.nn.Module):
    """Calls that overlap: each ends when the next has begun."""

    def __init__(self, count):
        super().__init__()
        self.begun = [threading.Event() for _ in range(count)]

    def forward(self, x, number):
        x = model(x)
        self.begun[number].set()
        if number + 1 < len(self.begun):
            self.begun[number + 1].wait()
        return model(x)


p = torchprof_jit.profile(model)
p.module = Handover(4)
threads = []
for number in range(4):
    threads.append(threading.Thread(target=p, args=(x, number)))
    threads[-1].start()
    p.module.begun[number].wait()
for thread in threads:
    thread.join()
print("overlapping", calls(p)["aten::relu"])
with p:
    p(x, 3)
    p(x, 3)
print("inside", calls(p)["aten::relu"])
# CHECK-NEXT: overlapping 8
# CHECK-NEXT: inside 4

# And calls that one thread makes after another.
p = torchprof_jit.profile(model, threads="current")
for _ in range(3):
    p(x)
ready, called = threading.Event(), threading.Event()


def call_later():
    model(x)  # in another range
    model(x)
    ready.set()
    called.wait()
    p(x)


thread = threading.Thread(target=call_later)
with torchprof_jit.profile():
    thread.start()
    ready.wait()
p(x)
called.set()
thread.join()
print("one after another", calls(p)["aten::relu"])
# CHECK-NEXT: one after another 5

# A long range keeps few files, however many begin in it, and what was shown before
# is there meanwhile.
def files(p):
    return len(os.listdir(p._folder))


p = torchprof_jit.profile(model)
p(x)
p(x)
p.__enter__()
most = 0
for _ in range(100):
    with torchprof_jit.profile(threads="current"):
        model(x)
    most = max(most, files(p))
print("shown", calls(p)["aten::relu"])
p.__exit__()
print("at most", most, calls(p)["aten::relu"])
# CHECK-NEXT: shown 2
# CHECK-NEXT: at most {{[1-4][0-9]}} 100

# Where one of two open ranges cannot keep its part, no other counts it twice.
first, failing = torchprof_jit.profile(), torchprof_jit.profile()
first.__enter__()
failing.__enter__()
model(x)
folder, failing._folder = failing._folder, "/nonexistent"
try:
    torchprof_jit.profile().__enter__()
except OSError as error:
    print("failed", error.strerror)
failing._folder = folder
failing.__exit__()
first.__exit__()
print([calls(p)["aten::relu"] for p in (first, failing)])
# CHECK: failed No such file or directory
# CHECK-NEXT: [1, 1]

# Ranges of one extent have the same, whatever another thread runs while a third one
# begins inside of them.
ops = torch.ops.torchprof
real_snapshot = ops.snapshot


def snapshot_before_a_run(path):
    failed = real_snapshot(path)
    other = threading.Thread(target=model, args=(x,))
    other.start()
    other.join()
    return failed


first, second = torchprof_jit.profile(), torchprof_jit.profile()
with first, second:
    model(x)
    ops.snapshot = snapshot_before_a_run
    inner = torchprof_jit.profile().__enter__()
    ops.snapshot = real_snapshot
    model(x)
    inner.__exit__()
print([calls(p)["aten::relu"] for p in (first, second, inner)])
# CHECK-NEXT: [2, 2, 1]

# Each thread has its own range, again and again; the process's has all of them.
found = []


def serve(number):
    for batch in range(4):
        with torchprof_jit.profile(threads="current") as p:
            for _ in range(10 * number + batch):
                model(x)
        found.append(calls(p)["aten::relu"] == 10 * number + batch)


with torchprof_jit.profile() as whole:
    threads = [threading.Thread(target=serve, args=(number,))
               for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(found.count(True), found.count(False), calls(whole)["aten::relu"])
# CHECK-NEXT: 12 0 258

# So has each of many threads that come and go, with one lane for all.
found.clear()
with torchprof_jit.profile() as whole:
    for number in (3, 2, 1):
        thread = threading.Thread(target=serve, args=(number,))
        thread.start()
        thread.join()
print(found.count(True), found.count(False), calls(whole)["aten::relu"])
# CHECK-NEXT: 12 0 258

# An error of the model leaves the range closed.
p = torchprof_jit.profile(model)
try:
    p("not a tensor")
except Exception:
    pass
p(x)
print("after an error", calls(p)["aten::relu"])
# CHECK: after an error 1
