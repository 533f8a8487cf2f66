"""What holds for all that is measured in processes of their own."""

import json
import os
import pathlib
import subprocess
import sys

#: Else malloc gives the end of its heap back with each call in some processes, and in
#: others not: a thousand page faults in a call of a small network.
KEEPS_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30),
                      "MALLOC_TOP_PAD_": str(64 << 20),
                      "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}

#: Processes below which an interval says nothing.
FEWEST = 6


def run_itself(words, build=None, **environment):
    """What the script that runs prints in its last line, as JSON, when another process
    runs it with these words. torchprof is attached to that if a build is named, and
    must have made a profile, which is removed."""
    script = sys.argv[0]
    profile = os.path.join(os.environ.get("TMPDIR", "/tmp"), "%s-%d.tprof" % (
        pathlib.Path(script).stem, os.getpid()))
    if build:
        if os.path.exists(profile):
            os.unlink(profile)
        environment.update(
            TORCHPROF_FILE=profile,
            LD_PRELOAD=os.path.join(build, "lib", "libtorchprof_preload.so"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, *words], check=True,
        stdout=subprocess.PIPE, env=dict(os.environ, **environment),
        universal_newlines=True)
    if build:
        os.unlink(profile)
    return json.loads(done.stdout.strip().split("\n")[-1])
