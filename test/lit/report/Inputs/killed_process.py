"""Lets `top` watch a process that is killed.

killed_process.py PROFILE.json FOLDER [before|elsewhere]: prints what top says until
it ends. The process is killed meanwhile, and nobody waits for it before. With
"before" it is gone before top begins; with "elsewhere" it only seems so, as from
outside of a container: it records more, and then closes its profile.
"""

import json
import os
import socket
import subprocess
import sys
import time

source, folder = sys.argv[1:3]
when = sys.argv[3] if len(sys.argv) > 3 else "meanwhile"
live = os.path.join(folder, "killed.json")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(source) as file:
    profile = json.load(file)
profile["state"] = "open"
profile["process"].update(pid=child.pid, host=socket.gethostname())
profile["anchors"] = [{"ticks": 0, "monotonic_ns": time.monotonic_ns()}]
profile["lanes"][1].update(current_slot=1, current_ticks=7)


def write():
    with open(live + ".new", "w") as file:
        json.dump(profile, file)
    os.replace(live + ".new", live)


def end_process():
    child.kill()
    if when != "meanwhile":
        child.wait()


write()
if when != "meanwhile":
    end_process()
# What is recorded elsewhere must be there within an interval.
interval = "2" if when == "elsewhere" else "0.05"
top = subprocess.Popen(
    ["torchprof-report", "top", "--interval=" + interval, live],
    stdout=subprocess.PIPE,
    universal_newlines=True,
)


def print_table():
    for line in top.stdout:
        print(line, end="")
        if line.startswith("region"):
            break


print_table()
if when == "meanwhile":
    end_process()
elif when == "elsewhere":
    for cell in profile["lanes"][0]["cells"]:
        cell["samples"].append(1000000)
    write()
    print_table()
    profile["state"] = "closed"
    write()
print(top.stdout.read())
child.wait()
sys.exit(top.wait())
