"""The requirement of a wheel: the torch that it is built with, and no other."""

import os
import subprocess
import sys

_VERSION = "import importlib.metadata as m; print(m.version('torch'))"


def dynamic_metadata(field, settings=None, *_):
    """Called by scikit-build-core. pip builds in an environment of its own, where
    the one to install into is hidden behind PYTHONPATH, and the user's packages by
    PYTHONNOUSERSITE; -E ignores both. With --no-build-isolation both are the user's
    own. A source archive is made without a torch, too: then any is named, and what
    builds with it says which one."""
    assert field == "dependencies"
    isolated = "pip-build-env-" in os.environ.get("PYTHONPATH", "")
    done = subprocess.run([sys.executable, *(["-E"] if isolated else []),
                           "-c", _VERSION],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True)
    version = done.stdout.strip()
    return ["torch==" + version if version else "torch"]
