"""Runs torchprof-run on bad command lines, prints exit codes and messages."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../models"))
from forkserver import ForkServer  # noqa: E402

folder, model = os.path.split(sys.argv[1])
log = tempfile.NamedTemporaryFile()
server = ForkServer("torchprof-run", sys.argv[2], log.name, folder)
empty = tempfile.NamedTemporaryFile()
huge = tempfile.NamedTemporaryFile()  # takes no room on the disk
os.truncate(huge.name, 2**42)
for arguments in (
    [model],
    [model, "--input", "float[2"],
    [model, "--input", "flot[2]"],
    [model, "--input", "float[-1]"],
    [model, "--input", "[1,2"],
    [model, "--input", "'abc"],
    [model, "--input", "int64[2]{5:1}"],
    [model, "--input", "int64[2]{-1e19:1e19}"],
    [model, "--input", "uint8[2]{0:300}"],
    [model, "--input", "float[2]{nan:nan}"],
    [model, "--input", "float[1000000,1000000]"],
    [model, "--input", "@absent.pt"],
    [model, "--input", "@."],
    [model, "--input", "@/dev/zero"],
    [model, "--input", "@" + empty.name],
    [model, "--input", "@" + huge.name],
    [model, "--input", "{[1]: 2}"],
    [model, "--input", "true"],
    ["containers.pt", "--input", "[1, 2]", "--input", "[]", "--input", "{}"],
    ["containers.pt", "--input", "[]", "--input", "['a', 1.5]", "--input", "{}"],
    ["containers.pt", "--input", "[]", "--input", "[]", "--input", "{'a': 1}"],
    ["containers.pt", "--input", "[]", "--input", "@strings.pt", "--input", "{}"],
    [model, "--input", "float[2]", "--method", "encode"],
    [model, "--input", "float[2]", "-o", "absent/x.tprof"],
    [model, "--input", "float[2]", "--runs", "many"],
    [model, "--input", "float[2]", "--runs", str(2**64 - 1)],
    [model, "--input", "float[2]", "--warmup", str(10**10)],
    [model, "--input", "float[2]", "--threads", "100000"],
    ["absent.pt", "--input", "float[2]"],
    [".", "--input", "float[2]"],
    [model + "/x.pt", "--input", "float[2]"],
    ["/dev/null", "--input", "float[2]"],
    ["\x1b[31m\u202e\x9b.pt", "--input", "float[2]"],
):
    print("[%d] %s" % server(*arguments), end="")
server.close()
print("left:", *sorted(os.listdir(folder)))
