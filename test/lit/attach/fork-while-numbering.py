"""A child that is forked while another thread of its parent numbers a large model
does not wait for that thread, which it does not have."""
# RUN: rm -rf %t && mkdir %t && env LD_PRELOAD=%build/lib/libtorchprof_preload.so \
# RUN:   TORCHPROF_FILE=%t/p.tprof %python -W ignore %s | FileCheck %s
# CHECK: children: {{[1-9][0-9]*}}, failed: 0
# UNSUPPORTED: asan, tsan

import os
import signal
import threading

import torch


class Chain(torch.nn.Module):
    def __init__(self, nodes):
        super().__init__()
        self.nodes = nodes

    def forward(self, x):
        for _ in range(self.nodes):
            x = torch.tanh(x)
        return x


def child(model):
    """Asks for a method on a thread that has seen no model, and for no more:
    LibTorch has locks of its own."""
    signal.alarm(60)
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append(model._c._get_method("forward")))
    asking.start()
    asking.join()
    os._exit(0 if answers else 1)


def main():
    x = torch.ones(2)
    large = torch.jit.trace(Chain(1500), x, check_trace=False)
    small = torch.jit.trace(Chain(1), x, check_trace=False)
    first_run = threading.Thread(target=large, args=(x,))
    first_run.start()
    children = []
    # A run begins with numbering, so that the first children are forked in it.
    while first_run.is_alive() and len(children) < 100:
        children.append(os.fork())
        if children[-1] == 0:
            child(small)
    first_run.join()
    ends = [os.waitpid(pid, 0)[1] for pid in children]
    print("children: %d, failed: %d" % (len(ends), sum(end != 0 for end in ends)))


main()
