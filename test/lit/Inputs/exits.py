"""Runs a command and checks its exit code: exits.py CODE COMMAND ARGUMENT..."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    sys.exit("exits.py: expected exit code %s, found %d" % (sys.argv[1], code))
