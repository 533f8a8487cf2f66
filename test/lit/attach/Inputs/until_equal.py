"""Runs two shell commands until they print the same, but not for ever:
until_equal.py COMMAND OTHER. For programs that do not always print the same; what
makes them never do so is found."""

import subprocess
import sys

TRIES = 5


def printed(command):
    return subprocess.run(["sh", "-c", command], check=True,
                          stdout=subprocess.PIPE).stdout


for _ in range(TRIES):
    outputs = [printed(command) for command in sys.argv[1:]]
    assert outputs[0], "nothing was printed"
    if outputs[0] == outputs[1]:
        sys.exit()
sys.exit("not the same in %d tries:\n%s\n%s" % (TRIES, *map(repr, outputs)))
