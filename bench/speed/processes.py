"""What holds for all that is measured in processes of their own."""

import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys

#: Else malloc gives the end of its heap back with each call in some processes, and in
#: others not: a thousand page faults in a call of a small network.
KEEPS_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30),
                      "MALLOC_TOP_PAD_": str(64 << 20),
                      "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}

#: Processes below which an interval says nothing.
FEWEST = 6


def libraries(build):
    """The folder of a build tree that has libtorchprof_preload.so."""
    return os.path.join(build, "lib")


def places(build):
    """Such folders too; in each the code of the runtime lies elsewhere."""
    return sorted(glob.glob(os.path.join(build, "lib", "places", "*")))


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive") \
        if len(values) > 1 else list(values) * 3


def run_itself(words, folder=None, **environment):
    """What the script that runs prints in its last line, as JSON, when another process
    runs it with these words. torchprof is attached to that if a folder with its
    libraries is named, and must have made a profile, which is removed."""
    script = sys.argv[0]
    profile = os.path.join(os.environ.get("TMPDIR", "/tmp"), "%s-%d.tprof" % (
        pathlib.Path(script).stem, os.getpid()))
    if folder:
        if os.path.exists(profile):
            os.unlink(profile)
        environment.update(
            TORCHPROF_FILE=profile,
            LD_PRELOAD=os.path.join(folder, "libtorchprof_preload.so"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, *words], check=True,
        stdout=subprocess.PIPE, env=dict(os.environ, **environment),
        universal_newlines=True)
    if folder:
        os.unlink(profile)
    return json.loads(done.stdout.strip().split("\n")[-1])
