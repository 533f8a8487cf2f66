"""The client of ForkServer.cpp: starts a tool once and forks it for each call."""

import os
import subprocess


class ForkServer:
    def __init__(self, program, library, log, folder=None):
        """library: the built ForkServer.cpp; log: a file that each call
        overwrites with what it prints; folder: where the tool runs. What this
        process was preloaded with the tool is, too."""
        self.log = os.path.abspath(log)
        preloaded = os.environ.get("LD_PRELOAD", "").split(":")
        self.process = subprocess.Popen(
            [program], cwd=folder, env={
                **os.environ, "LD_PRELOAD": ":".join([library, *preloaded])},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, *words, destroy=False):
        """(exit code or minus a signal's number, what the tool printed)

        destroy: whether LibTorch's static objects are destroyed in the end, which
        takes longer than the call of a small model."""
        request = [str(2 + len(words)), self.log,
                   "destroy" if destroy else "leave", *words]
        assert not any("\n" in word for word in request)
        self.process.stdin.write("".join(
            word + "\n" for word in request).encode("utf-8", "surrogateescape"))
        self.process.stdin.flush()
        code = self.process.stdout.readline()
        if not code:
            raise RuntimeError("%s did not start" % self.process.args[0])
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return int(code), file.read()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
