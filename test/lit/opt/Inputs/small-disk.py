"""Runs a command that can write files of at most so many bytes.

small-disk.py BYTES COMMAND...
"""

import resource
import signal
import subprocess
import sys


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


size = int(sys.argv[1])
code = subprocess.run(
    sys.argv[2:], preexec_fn=limit, restore_signals=False
).returncode
print("exit code", code)
