"""A child that is forked while another thread of its parent numbers a large model
does not wait for that thread, which it does not have."""
# RUN: rm -rf %t && mkdir %t && env LD_PRELOAD=%build/lib/libtorchprof_preload.so \
# RUN:   TORCHPROF_FILE=%t/p.tprof %python -W ignore %s | FileCheck %s
# CHECK: children that waited: 0
# UNSUPPORTED: asan, tsan

import os
import signal
import threading
import time

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
    signal.alarm(10)
    asking = threading.Thread(target=model._c._get_method, args=("forward",))
    asking.start()
    asking.join()
    os._exit(0)


def main():
    x = torch.ones(2)
    large = torch.jit.trace(Chain(1500), x, check_trace=False)
    small = torch.jit.trace(Chain(1), x, check_trace=False)
    first_run = threading.Thread(target=large, args=(x,))
    first_run.start()
    children = []
    while first_run.is_alive():
        children.append(os.fork())
        if children[-1] == 0:
            child(small)
        time.sleep(0.02)
    first_run.join()
    ends = [os.waitpid(pid, 0)[1] for pid in children]
    print("children that waited:", sum(end != 0 for end in ends))


main()
