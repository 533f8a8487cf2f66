"""What a measurement depends on beside torchprof: the machine and the build trees."""

import datetime
import glob
import os
import platform
import subprocess

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def processor():
    """Its name, and what tells it apart from others of that name."""
    told = {}
    with open("/proc/cpuinfo") as file:
        for line in file:
            name, colon, value = line.partition(":")
            if not colon:  # the first processor ends
                break
            told[name.strip()] = value.strip()
    name = told.get("model name", platform.machine())
    if "cpu family" not in told:
        return name
    return "%s (family %s, model %s)" % (name, told["cpu family"], told["model"])


def machine():
    compiler = subprocess.run(["c++", "--version"], stdout=subprocess.PIPE,
                              universal_newlines=True).stdout.split("\n")[0]
    return {"date": datetime.date.today().isoformat(), "processor": processor(),
            "processors": os.cpu_count(), "compiler": compiler,
            "kernel": platform.release()}


def found_builds():
    """Trees below build/ that have LibTorch and no sanitizer."""
    builds = []
    for cache in sorted(glob.glob(os.path.join(root, "build", "*",
                                               "CMakeCache.txt"))):
        with open(cache) as file:
            text = file.read()
        if "TORCHPROF_SANITIZE:STRING=\n" in text and \
                "TORCHPROF_WITH_LIBTORCH:BOOL=ON\n" in text:
            builds.append(os.path.dirname(cache))
    return builds
