#!/usr/bin/env python3
"""Whether tensors take what torchprof says.

  memory.py ZOO WORK --build BUILD [--only NAME...]

ZOO is a folder that test/models/make.py filled. Each model runs in a process that
torchprof is attached to, and once while torch.profiler records, too. Prints a JSON
object per model: the blocks and bytes that each of the two saw come, and go.
"""

import json

import torch

import zoo


def work(arguments):
    """In the attached process: what torch.profiler saw of one call."""
    with torch.no_grad():
        run = zoo.warm_call(arguments)
        with torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU],
                profile_memory=True) as profiler:
            result = run()
    del result
    sizes = [event.nbytes()
             for event in profiler.profiler.kineto_results.events()
             if event.name() == "[memory]"]
    came = [size for size in sizes if size > 0]
    print(json.dumps([len(came), sum(came), sum(came) - sum(sizes)]))


COLUMNS = ("self_allocs", "self_alloc_bytes", "self_freed_bytes")


def measure(arguments, entry, call):
    theirs, rows = zoo.attached(arguments, __file__, entry, call, "memory",
                                "--columns=" + ",".join(COLUMNS))
    # Its own of each node, and what is left of the method: all of the call.
    ours = [sum(row[column] or 0 for row in rows) for column in COLUMNS]
    names = ("blocks", "bytes", "freed")
    return dict([("model", entry["name"])] + list(zip(names, ours))
                + [("profiler_" + name, number)
                   for name, number in zip(names, theirs)])


if __name__ == "__main__":
    zoo.main(__doc__, work, measure)
