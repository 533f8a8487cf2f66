"""A signal whose handler raises, as Ctrl-C does, is the program's wherever it comes, and
leaves no range open."""
# RUN: %python -u -W ignore %s 2>&1 | FileCheck %s --implicit-check-not=ignored

import sys

import torch

import torchprof_jit
from torchprof_jit import _profile


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


class Interrupt(Exception):
    pass


x = torch.rand(8)
model = torchprof_jit.instrument(Model())
p = torchprof_jit.profile(model)


def use_range():
    with p:
        p.module(x)


def use_calls():
    p(x)
    p(x)


def interrupt(body, number):
    """Runs it up to the place of this number where Python looks for signals: where
    a function begins, and behind one in C. False if there are fewer."""
    places = 0

    def look(frame, event, _):
        nonlocal places
        code = frame.f_code
        # Of a `with` whose __exit__() does not begin nobody hears.
        if (event not in ("call", "c_return") or code.co_filename == __file__
                or event == "call" and code is _profile.profile.__exit__.__code__):
            return
        places += 1
        if places == number:
            raise Interrupt

    try:
        sys.setprofile(look)
        body()
    except Interrupt:
        return True
    finally:
        sys.setprofile(None)
    assert places < number, "interrupt %d is lost" % number
    return False


for body, fewest in (use_range, 20), (use_calls, 40):
    number = 1
    while interrupt(body, number):
        assert not _profile._recording and not p._inside, number
        with p:
            p.module(x)
        if number % 8 == 0:  # to read them takes longer
            assert len(p.runs()) == 1, number
        number += 1
    assert number > fewest, number
    print(body.__name__, "was interrupted everywhere")
# CHECK: use_range was interrupted everywhere
# CHECK-NEXT: use_calls was interrupted everywhere
