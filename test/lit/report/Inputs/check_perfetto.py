"""Decodes a Perfetto trace from its wire format and prints its slices.

Field numbers: https://perfetto.dev/docs/reference/trace-packet-proto. Begins
and ends must balance on every track, in the order of their times with ties in
the order of the file, which is how the viewer's importer sorts them.
"""

import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Field number -> list of values: numbers, or bytes of what has a length."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            length, at = varint(data, at)
            assert at + length <= len(data)
            value, at = data[at : at + length], at + length
        else:
            assert key & 7 == 0, key
            value, at = varint(data, at)
        found.setdefault(key >> 3, []).append(value)
    return found


with open(sys.argv[1], "rb") as file:
    trace = fields(file.read())
assert list(trace) == [1]
names, tracks, events = {}, {}, []
for packet in map(fields, trace[1]):
    if 12 in packet:  # interned data: event names
        for entry in map(fields, fields(packet[12][0])[2]):
            names[entry[1][0]] = entry[2][0].decode()
    if 60 in packet:  # track descriptor
        track = fields(packet[60][0])
        if 2 in track:
            tracks[track[1][0]] = track[2][0].decode()
    if 11 in packet:  # track event
        event = fields(packet[11][0])
        events.append((packet.get(8, [0])[0], len(events), event))
open_slices = {}
for time, _, event in sorted(events, key=lambda event: event[:2]):
    stack = open_slices.setdefault(event[11][0], [])
    if event[9] == [1]:
        stack.append((names[event[10][0]], time))
        continue
    assert event[9] == [2]
    name, begin = stack.pop()
    depth = len(stack)
    print(f"{tracks[event[11][0]]}: depth {depth}: {name} {begin} to {time}")
assert not any(open_slices.values())
