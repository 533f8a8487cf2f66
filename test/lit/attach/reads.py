"""With one reading of the clock per node, a node of straight-line code begins where
the one before it has ended; with two it begins later. Nodes behind control flow read
it twice in both. The counts and the results are the same."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_MODE=trace \
# RUN:   TORCHPROF_FILE=%t.two.tprof %python -W ignore %s run
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_MODE=trace \
# RUN:   TORCHPROF_FILE=%t.one.tprof TORCHPROF_READS=one %python -W ignore %s run
# RUN: torchprof-report check %t.one.tprof | FileCheck %s
# RUN: torchprof-report convert %t.two.tprof -o %t.two.json
# RUN: torchprof-report convert %t.one.tprof -o %t.one.json
# RUN: %python -W ignore %s compare %t.two.json %t.one.json
# UNSUPPORTED: asan, tsan
# CHECK: the file is whole

import json
import sys

RUNS = 50


def run():
    import torch

    class Model(torch.nn.Module):
        def forward(self, x, choice: bool):
            a = torch.tanh(x)
            b = torch.relu(a)
            c = torch.cat([b, a])
            if choice:
                c = torch.sin(c)
            d = torch.cos(c)
            return torch.exp(d)

    torch.set_num_threads(1)
    plain, model = Model(), torch.jit.script(Model())
    x = torch.randn(4)
    with torch.no_grad():
        for _ in range(RUNS):
            assert torch.equal(model(x, True), plain(x, True))


def nodes(path):
    """The spans of each run, by the names of their kinds: (begin, end)."""
    with open(path) as file:
        profile = json.load(file)
    kinds = [site["kind"] for model in profile["models"]
             for site in model["sites"]]
    events = [(begin, begin + ticks, kinds[slot])
              for lane in profile["lanes"] for trace in lane["traces"]
              for slot, begin, ticks in trace["events"]]
    whole = sorted(e for e in events if e[2] == "method")
    assert len(whole) == RUNS, len(whole)
    return [{kind: (begin, end) for begin, end, kind in events
             if kind.startswith("aten::") and first <= begin <= last}
            for first, last, _ in whole]


def compare(two, one):
    follow = [("aten::tanh", "aten::relu"), ("aten::relu", "aten::cat"),
              ("aten::cos", "aten::exp")]
    separate = [("aten::cat", "aten::sin"), ("aten::sin", "aten::cos")]
    for path, chained in (two, False), (one, True):
        runs = nodes(path)
        assert all(len(run) == 6 for run in runs), runs
        for pairs, expected in (follow, chained), (separate, False):
            for before, after in pairs:
                gaps = [run[after][0] - run[before][1] for run in runs]
                assert min(gaps) >= 0, (before, after, gaps)
                joined = gaps.count(0)
                # First runs go by other plans and are set up on the way.
                assert joined >= RUNS - 10 if expected else joined == 0, (
                    path, before, after, gaps)


if sys.argv[1] == "run":
    run()
else:
    compare(sys.argv[2], sys.argv[3])
