"""What other processes signal to torchprof-record, the command gets, and so does an alarm
that was set before it started."""
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %python %s torchprof-record --quiet -- | FileCheck %s
# CHECK: all 10 signals are the command's
# CHECK-NEXT: the alarm is the command's

import ctypes
import os
import signal
import subprocess
import sys

SENT = "HUP USR1 USR2 WINCH TTIN TTOU ALRM IO RTMIN RTMAX".split()


def run_command():
    def tell(number, frame):
        os.write(1, b"%d\n" % number)

    # It ends with torchprof-record, or readers of its output would wait for it.
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for name in SENT:
        signal.signal(getattr(signal, "SIG" + name), tell)
    os.write(1, b"ready\n")
    os.read(0, 1)  # until this test has seen all


def start(words, alarm=0):
    return subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.alarm(alarm),
    )


def send_signals(words):
    process = start(words)
    assert process.stdout.readline() == b"ready\n"
    for name in SENT:
        number = getattr(signal, "SIG" + name)
        process.send_signal(number)
        got = process.stdout.readline()
        assert got == b"%d\n" % number, (name, got)
    process.communicate()
    assert process.returncode == 0
    print("all", len(SENT), "signals are the command's")


def set_alarm(words):
    for seconds in (1, 2, 4, 8, 16):  # it may come before the command is ready
        process = start(words, seconds)
        process.stdout.readline()
        got = process.stdout.readline()
        process.communicate()
        if got == b"%d\n" % signal.SIGALRM:
            print("the alarm is the command's")
            break


if sys.argv[1] == "command":
    run_command()
else:
    signal.alarm(120)  # a signal that never arrives ends this
    send_signals(sys.argv[1:] + [sys.executable, __file__, "command"])
    set_alarm(sys.argv[1:] + [sys.executable, __file__, "command"])
