"""Writes a profile of each process of a side.

Usage: make_processes.py PREFIX MEANxCALLS...: PREFIX-1.json has so many runs of so
many microseconds in the mean, and so on. In each run a node takes half of the time.
"""

import json
import sys

prefix, *processes = sys.argv[1:]
for number, text in enumerate(processes, 1):
    mean, calls = (int(part) for part in text.split("x"))
    # Some more, others as much less.
    samples = [mean * 1000 + (-20 if call % 2 else 20) for call in range(calls)]
    document = {
        "process": {"clock": "injected"},
        "models": [{"id": 3, "sites": [
            {"kind": "method", "name": "forward", "flags": ["root"]},
            {"parent": 0, "kind": "aten::mm", "name": "a"}]}],
        "lanes": [{"cells": [{"slot": 0, "samples": samples},
                             {"slot": 1, "samples": [ns // 2 for ns in samples]}]}]}
    with open("%s-%d.json" % (prefix, number), "w") as file:
        json.dump(document, file)
