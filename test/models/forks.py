"""What a process does whose models fork tasks."""

import os
import time


def runs(thread):
    """Whether a thread of this process has something to do."""
    try:
        with open("/proc/self/task/%s/stat" % thread) as file:
            return file.read().rpartition(")")[2].split()[0] not in "SDZX"
    except OSError:
        return False  # it has ended


def rest():
    """A thread of LibTorch's pool that drops a tensor of Python's while Python ends
    aborts the process, attached or not (2.13): lets all threads finish what they do,
    for at most ten seconds. Each is looked at several times, since a thread that
    waits for Python's lock seems to have nothing to do."""
    quiet, end = 0, time.monotonic() + 10
    while quiet < 5 and time.monotonic() < end:
        time.sleep(0.01)
        others = set(os.listdir("/proc/self/task")) - {str(os.getpid())}
        quiet = 0 if any(map(runs, others)) else quiet + 1
