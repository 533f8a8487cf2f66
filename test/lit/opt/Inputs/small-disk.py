"""Runs a command that can write files of at most 1024 bytes."""

import resource
import signal
import subprocess
import sys


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


code = subprocess.run(
    sys.argv[1:], preexec_fn=limit, restore_signals=False
).returncode
print("exit code", code)
