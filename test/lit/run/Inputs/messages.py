"""Runs torchprof-run on bad command lines, prints exit codes and messages."""

import os
import subprocess
import sys

folder, model = os.path.split(sys.argv[1])
for arguments in (
    [model],
    [model, "--input", "float[2"],
    [model, "--input", "flot[2]"],
    [model, "--input", "float[-1]"],
    [model, "--input", "[1,2"],
    [model, "--input", "'abc"],
    [model, "--input", "int64[2]{5:1}"],
    [model, "--input", "@absent.pt"],
    [model, "--input", "true"],
    [model, "--input", "float[2]", "--method", "encode"],
    [model, "--input", "float[2]", "-o", "absent/x.tprof"],
    [model, "--input", "float[2]", "--runs", "many"],
    ["absent.pt", "--input", "float[2]"],
):
    run = subprocess.run(
        ["torchprof-run"] + arguments,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print("[%d] %s" % (run.returncode, run.stdout), end="")
print("left:", *sorted(os.listdir(folder)))
