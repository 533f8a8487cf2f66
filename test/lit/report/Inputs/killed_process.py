"""Lets `top` watch a process that is killed meanwhile.

killed_process.py PROFILE.json FOLDER: prints what top says until it ends. Nobody
waits for the process before.
"""

import json
import os
import socket
import subprocess
import sys
import time

source, folder = sys.argv[1:]
live = os.path.join(folder, "killed.json")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(source) as file:
    profile = json.load(file)
profile["state"] = "open"
profile["process"].update(pid=child.pid, host=socket.gethostname())
profile["anchors"] = [{"ticks": 0, "monotonic_ns": time.monotonic_ns()}]
profile["lanes"][1].update(current_slot=1, current_ticks=7)
with open(live, "w") as file:
    json.dump(profile, file)
top = subprocess.Popen(
    ["torchprof-report", "top", "--interval=0.05", live],
    stdout=subprocess.PIPE,
    universal_newlines=True,
)
for line in top.stdout:
    print(line, end="")
    if line.startswith("region"):
        break
child.kill()
print(top.stdout.read())
child.wait()
sys.exit(top.wait())
