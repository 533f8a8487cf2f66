"""Runs a command and checks that it exits with the first argument."""

import subprocess
import sys

result = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL)
if result.returncode != int(sys.argv[1]):
    sys.exit(f"expected exit code {sys.argv[1]}, found {result.returncode}")
