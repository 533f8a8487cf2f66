"""Runs a command that cannot write all to stdout, and checks its exit code.

bad_stdout.py KIND CODE COMMAND ARGUMENT...

KIND is closed (a pipe without a reader), full (a device without room) or short
(a limit of 1000 bytes on files).
"""

import os
import resource
import subprocess
import sys
import tempfile

kind, code = sys.argv[1], int(sys.argv[2])
if kind == "closed":
    reader, writer = os.pipe()
    os.close(reader)
    stdout = os.fdopen(writer, "wb")
elif kind == "full":
    stdout = open("/dev/full", "wb")
else:
    stdout = tempfile.TemporaryFile()


def limit():
    if kind == "short":
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


# stderr through a pipe: the limit is not for it.
result = subprocess.run(
    sys.argv[3:], stdout=stdout, stderr=subprocess.PIPE, preexec_fn=limit
)
sys.stdout.write(result.stderr.decode())
if result.returncode != code:
    sys.exit(f"expected exit code {code}, found {result.returncode}")
