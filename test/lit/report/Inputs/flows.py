"""What a Chrome trace says of the device."""

import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
starts = {e["id"]: e for e in events if e["ph"] == "s"}
ends = {e["id"]: e for e in events if e["ph"] == "f"}
spans = [e for e in events if e["ph"] == "X"]
device = [e for e in spans if e["cat"] == "gpu_user_annotation"]
assert starts.keys() == ends.keys()
names = {e["tid"]: e["args"]["name"] for e in events
         if e["name"] == "thread_name"}
assert len({e["tid"] for e in device}) == 1
print("%d arrows, %d spans on %s" % (len(starts), len(device),
                                     names[device[0]["tid"]]))
for number, start in starts.items():
    end = ends[number]
    assert end["ts"] >= start["ts"], number
    # An arrow begins and ends in a span of the same name.
    at = [{e["name"] for e in spans if e["tid"] == arrow["tid"]
           and e["ts"] == arrow["ts"]} for arrow in (start, end)]
    assert at[0] & at[1], at
first = min(e["ts"] for e in spans if e["name"] == "forward")
softmax = [e for e in spans if e["name"] == "aten::softmax"]
here = min(e["ts"] for e in softmax if e not in device)
there = min(e["ts"] for e in softmax if e in device)
print("softmax: %d us on the host after the run began, %d us later on the device"
      % (here - first, there - here))
