"""Runs a command with a terminal as standard output, and exits as it does.

  on_terminal.py COMMAND ARGUMENT...
"""

import os
import pty
import sys

sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
