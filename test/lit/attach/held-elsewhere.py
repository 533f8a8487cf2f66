"""The track of held memory does not rise with outputs that a thread without a model frees."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=memory TORCHPROF_MODE=trace %python -W ignore %s
# RUN: torchprof-report export --to=chrome %t.tprof -o %t.json
# RUN: %python %s %t.json
# UNSUPPORTED: asan, tsan

import json
import sys
import threading

MIB = 1 << 20
if len(sys.argv) > 1:
    with open(sys.argv[1]) as trace:
        events = json.load(trace)["traceEvents"]
    held = [e["args"]["bytes"] for e in events if e["ph"] == "C"]
    # Each output takes 1 MiB, and so does what is computed on the way.
    assert MIB <= max(held) < 4 * MIB, max(held)
    sys.exit()

import torch

torch.set_num_threads(1)


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


model = torch.jit.script(Net().eval())
x = torch.rand(256, 1024)
with torch.no_grad():
    for _ in range(20):
        kept = [model(x)]
        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()
