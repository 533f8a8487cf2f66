"""Children of fork have ranges of their own, and leave alone their parent's."""
# RUN: rm -rf %t && mkdir %t
# RUN: env TMPDIR=%t %python -u -W ignore %s %t 2>&1 | FileCheck %s

import glob
import os
import signal
import sys
import threading
import traceback

import torch

import torchprof_jit


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


x = torch.rand(8)
model = torchprof_jit.instrument(Model())


def calls(p):
    return {row["kind"]: row["calls"] for row in p.rows()}.get("aten::relu")


def in_child(body):
    child = os.fork()
    if not child:
        signal.alarm(60)  # a lock that nobody leaves
        try:
            body()
        except BaseException:
            traceback.print_exc(file=sys.stdout)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


# A range that is open at the fork is the parent's alone: the child leaves it
# with nothing, and takes no snapshots for it.
def use_own(whole):
    before = glob.glob(sys.argv[1] + "/*/*-*.tprof")
    own = torchprof_jit.profile(model)
    for _ in range(3):
        own(x)
    took = set(glob.glob(sys.argv[1] + "/*/*-*.tprof")) - set(before)
    print("folders", len({os.path.dirname(path) for path in took}))
    model(x)  # outside of a range
    own(x)
    print("own", calls(own))
    whole.__exit__(None, None, None)
    print("inherited", whole)


# It may record with that range's profile, in a range that it opens itself.
def use_inherited(whole):
    whole(x)
    print("call", calls(whole))
    with whole:
        model(x)
        model(x)
    print("with", calls(whole))


# The loop around it may go on there: until it is left, its steps are nothing.
def go_on(whole):
    whole(x)
    whole.step()
    whole.__exit__(None, None, None)
    try:
        whole.step()
    except RuntimeError as error:
        print(error)


earlier = torchprof_jit.profile(model)
earlier(x)
with torchprof_jit.profile(model) as whole:
    model(x)
    in_child(lambda: use_own(whole))
    in_child(lambda: use_inherited(whole))
    in_child(whole.step)
    in_child(lambda: go_on(whole))
    model(x)
print("parent", calls(whole), whole.step_number)
# CHECK: folders 1
# CHECK-NEXT: own 4
# CHECK-NEXT: inherited <torchprof_jit.profile, nothing recorded>
# CHECK-NEXT: call 1
# CHECK-NEXT: with 2
# CHECK-NEXT: step() outside of a range
# CHECK-NEXT: parent 2 0


# Nor does a child record outside of ranges of its own.
def use_none():
    model(x)
    print("outside", torch.ops.torchprof.stats()["count"])


with torchprof_jit.profile(model):
    in_child(use_none)
# CHECK-NEXT: outside 0


# A child's calls do not add up with its parent's, whose results it has until then.
def call_again(inherited):
    print("had", calls(inherited))
    inherited(x)
    inherited(x)
    print("called", calls(inherited))
    in_child(lambda: (inherited(x), print("grandchild", calls(inherited))))
    inherited(x)
    print("called", calls(inherited))


warm = torchprof_jit.profile(model)
warm(x)
in_child(lambda: call_again(warm))
warm(x)
print("warm", calls(warm))
# CHECK-NEXT: had 1
# CHECK-NEXT: called 2
# CHECK-NEXT: grandchild 1
# CHECK-NEXT: called 3
# CHECK-NEXT: warm 2


# A child that uses its parent's profile again leaves the parent's files.
def use_again():
    with earlier:
        model(x)
        model(x)
    print("again", calls(earlier))


in_child(use_again)
print("earlier", calls(earlier))
# CHECK-NEXT: again 2
# CHECK-NEXT: earlier 1


# Another thread may begin or end a range while this one forks, or read results.
held, forked = threading.Event(), threading.Event()


def hold(lock):
    with lock:
        held.set()
        forked.wait()


for lock, body in (
        (torchprof_jit._profile._lock,
         lambda: (earlier(x), print("not held"))),
        (earlier._making, lambda: print("read", calls(earlier)))):
    held.clear()
    forked.clear()
    thread = threading.Thread(target=hold, args=(lock,))
    thread.start()
    held.wait()
    try:
        in_child(body)
    finally:
        forked.set()
        thread.join()
# CHECK-NEXT: not held
# CHECK-NEXT: read 1


# Or be in a call, which the child does not end.
class Waiting(torch.nn.Module):
    def forward(self, x):
        held.set()
        forked.wait()
        return x


held.clear()
forked.clear()
p = torchprof_jit.profile(model)
p.module = Waiting()
thread = threading.Thread(target=p, args=(x,))
thread.start()
held.wait()


def call():
    p.module = model
    p(x)
    print("called", calls(p))


try:
    in_child(call)
finally:
    forked.set()
    thread.join()
# CHECK-NEXT: called 1
