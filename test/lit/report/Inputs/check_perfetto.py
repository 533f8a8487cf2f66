"""Reads a Perfetto trace with the published format and prints its slices.

Begins and ends must balance on every track, in the order of their times with
ties in the order of the file, which is how the viewer's importer sorts them.
"""

import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2

trace = perfetto_trace_pb2.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
names, tracks, events = {}, {}, []
for packet in trace.packet:
    assert packet.FindInitializationErrors() == []
    for entry in packet.interned_data.event_names:
        names[entry.iid] = entry.name
    if packet.HasField("track_descriptor"):
        counter = packet.track_descriptor.counter
        assert (packet.track_descriptor.HasField("counter") ==
                (counter.unit == counter.UNIT_SIZE_BYTES))
        track = packet.track_descriptor
        tracks[track.uuid] = track.name
        assert not track.parent_uuid or track.parent_uuid in tracks
        if track.HasField("thread"):
            print(f"thread {track.thread.tid} of process {track.thread.pid}: "
                  f"{track.thread.thread_name}")
        elif tracks.get(track.parent_uuid):
            print(f"in {tracks[track.parent_uuid]}: {track.name}")
    if packet.HasField("track_event"):
        events.append((packet.timestamp, len(events), packet.track_event))
open_slices, flows = {}, {}
for time, _, event in sorted(events, key=lambda event: event[:2]):
    if event.type == event.TYPE_COUNTER:
        print(f"{tracks[event.track_uuid]}: {event.counter_value} at {time}")
        continue
    stack = open_slices.setdefault(event.track_uuid, [])
    if event.type == event.TYPE_SLICE_BEGIN:
        stack.append((names[event.name_iid], time))
        for flow in event.flow_ids:
            flows.setdefault(flow, []).append(stack[-1][0])
        continue
    assert event.type == event.TYPE_SLICE_END
    name, begin = stack.pop()
    depth = len(stack)
    print(f"{tracks[event.track_uuid]}: depth {depth}: {name} {begin} to {time}")
assert not any(open_slices.values())
# An arrow leads from a slice to one of the same name.
assert all(len(ends) == 2 and len(set(ends)) == 1 for ends in flows.values())
if flows:
    print(f"{len(flows)} flows")
