"""Checks trace JSON as the viewers need it.

Usage: check_chrome.py FILE COUNT. It is JSON; every span has the members that
chrome://tracing and HTA read; on each track spans nest strictly; all tracks
are named.
"""

import json
import sys
from decimal import Decimal

with open(sys.argv[1]) as file:
    trace = json.load(file, parse_float=Decimal)
spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
assert len(spans) == int(sys.argv[2]), len(spans)
named = {
    event["tid"]
    for event in trace["traceEvents"]
    if event["ph"] == "M" and event["name"] == "thread_name"
}
tracks = {}
for span in spans:
    assert span["cat"] in ("cpu_op", "user_annotation", "gpu_user_annotation")
    assert span["name"] and span["tid"] >= 0 and span["dur"] >= 0
    tracks.setdefault(span["tid"], []).append(
        (span["ts"], span["ts"] + span["dur"])
    )
assert set(tracks) == named, (set(tracks), named)
for ranges in tracks.values():
    ends = []
    for begin, end in sorted(ranges, key=lambda r: (r[0], -r[1])):
        while ends and ends[-1] <= begin:
            ends.pop()
        assert not ends or end <= ends[-1], (begin, end, ends[-1])
        ends.append(end)
