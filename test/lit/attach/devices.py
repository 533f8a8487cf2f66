"""How long a device works for each node: known durations are found on several
streams and threads, with and without grad, while nobody waits for the device;
and traces have the device's tracks."""
# RUN: rm -rf %t && mkdir %t
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t/p.tprof \
# RUN:   TORCHPROF_RECORD=device TORCHPROF_MODE=trace \
# RUN:   %python -W ignore %s %source %build
# RUN: torchprof-report check %t/p.tprof
# RUN: torchprof-report export --to=chrome %t/p.tprof.grad -o %t/p.json
# RUN: torchprof-report export --to=perfetto %t/p.tprof.grad -o %t/p.pftrace
# RUN: %python %s %t/p.json
# RUN: torchprof-report export --to=folded --weight=device %t/p.tprof.streams | FileCheck %s --check-prefix=FOLDED
# RUN: torchprof-report summary %t/p.tprof.streams --style=torch \
# RUN:   --sort=self_cuda_time_total | FileCheck %s --check-prefix=TORCH
# UNSUPPORTED: asan, tsan
# FOLDED: forward;inner(Inner);fakedev::busy 400{{[0-9]+}}
# TORCH: Name {{.*}} Self device device total device time avg # of Calls
# TORCH: Self device time total: 14{{[012]}}.{{[0-9]+}} ms

import json
import os
import subprocess
import sys
import threading

if sys.argv[1].endswith(".json"):
    events = json.load(open(sys.argv[1]))["traceEvents"]
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert starts and starts.keys() == ends.keys(), (len(starts), len(ends))
    # A device never begins before its host, and is behind in the end.
    late = [ends[i]["ts"] - starts[i]["ts"] for i in starts]
    assert min(late) >= -0.001 and max(late) > 10000, (min(late), max(late))
    names = [e["args"]["name"] for e in events if e.get("name") == "thread_name"]
    assert any(name.startswith("device 0, stream 0 (") for name in names), names
    spans = [e for e in events if e.get("cat") == "gpu_user_annotation"]
    assert any(e["name"] == "fakedev::busy" and abs(e["dur"] - 4000) < 1
               for e in spans)
    sys.exit()

import torch

source, build = sys.argv[1:]
sys.path.insert(0, source + "/test/fake-device")
import fake_device

device = fake_device.load(build)
torch.set_num_threads(1)
MS = 1000 * 1000
RUNS = 20


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = fake_device.Inner()

    def forward(self, x, host):
        first = torch.ops.fakedev.busy(x, 1000000)
        doubled = host * 2  # never on the device
        inner = self.inner(first)
        if x.size(0) > 1:
            last = torch.ops.fakedev.busy(inner, 4000000)
        else:
            last = inner
        return last, doubled


model = torch.jit.script(Model().eval())
x, host = torch.ones(2, 2).to(device), torch.ones(2, 2)


def rows_of(name):
    """The rows of what was recorded until now."""
    path = os.environ["TORCHPROF_FILE"] + "." + name
    assert torch.ops.torchprof.snapshot(path) == 0
    output = subprocess.run(
        ["torchprof-report", "summary", path, "--limit=0", "--format=json",
         "--columns=kind,name,calls,mean_ns,device_ns,device_calls,"
         "self_device_ns"],
        check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return {row["name"]: row for row in json.loads(output.stdout)["rows"]}


def check(rows, calls):
    for name, ms in (("first", 1), ("busy", 2), ("last", 4), ("forward", 7)):
        row = rows[name]
        assert row["calls"] == row["device_calls"] == calls, row
        mean = row["device_ns"] / calls
        assert abs(mean / (ms * MS) - 1) < 0.02, (name, mean)
    assert rows["doubled"]["device_calls"] is None, rows["doubled"]
    assert rows["forward"]["self_device_ns"] < 0.02 * rows["forward"]["device_ns"]


def runs(count):
    # The device is behind from the beginning: it waits for no host.
    torch.ops.fakedev.busy(x, 600 * MS)
    for _ in range(count):
        model(x, host)


with torch.no_grad():
    for _ in range(3):  # LibTorch optimizes
        model(x, host)
    torch.ops.fakedev.wait()
    torch.ops.torchprof.reset()
    runs(RUNS)
    assert rows_of("early")["last"]["device_calls"] in (None, 0)
    torch.ops.fakedev.wait()
    check(rows_of("streams"), RUNS)

    torch.ops.torchprof.reset()  # of all threads


def work(number):
    with torch.no_grad():
        for stream in (2 * number, 2 * number + 1):
            torch.ops.fakedev.use_stream(stream)
            runs(RUNS // 2)


# Each works on two streams of its own, one behind the other.
threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
torch.ops.fakedev.wait()
check(rows_of("threads"), 4 * RUNS)

# Under grad, nodes are pairs of probes; a backward pass has none here.
torch.ops.torchprof.reset()
weight = torch.ones(2, 2, requires_grad=True)
for _ in range(3):
    model(x, weight)
torch.ops.fakedev.wait()
torch.ops.torchprof.reset()
torch.ops.fakedev.busy(x, 600 * MS)
for _ in range(RUNS):
    model(x, weight)
torch.ops.fakedev.wait()
check(rows_of("grad"), RUNS)

# LibTorch's own profiler may record at the same time.
torch.ops.torchprof.reset()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                            record_shapes=True):
    # Not before: to begin takes longer.
    torch.ops.fakedev.busy(x, 600 * MS)
    for _ in range(RUNS):
        model(x, weight)
torch.ops.fakedev.wait()
check(rows_of("beside"), RUNS)

# A stream that is captured is left alone, where LibTorch tells that it is.
if torch.ops.fakedev.tells_capture():
    events = torch.ops.fakedev.events()
    torch.ops.fakedev.capture(True)
    model(x, weight)
    torch.ops.fakedev.capture(False)
    assert torch.ops.fakedev.events() == events
    model(x, weight)
    assert torch.ops.fakedev.events() > events
