# On a terminal an error replaces the line that says how far the runs are.

# RUN: rm -rf %t && mkdir -p %t && cd %t
# RUN: %python -W ignore %s

import os
import re
import subprocess

import torch


class Fails(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        assert self.calls < 3, "enough"
        return x


def on_terminal(*options):
    terminal, errors = os.openpty()
    command = ["torchprof-run", "fails.pt", "--input", "float[2]", *options]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=dict(os.environ, TERM="dumb"),
    )
    os.close(errors)
    text = b""
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:  # nobody else has it open any more
        pass
    os.close(terminal)
    assert process.wait() == 2, text
    return text


torch.jit.script(Fails()).save("fails.pt")
replaced = rb"[0-9] of 3\r\x1b\[Ktorchprof-run: error: fails.pt: .*enough"
for options in ((), ("--compare",)):
    text = on_terminal(*options)
    assert re.search(replaced, text), text
