"""Finds torchprof's tools and its runtime, and starts them."""

import atexit
import glob
import os
import shutil
import subprocess
import tempfile

import torch


class ToolError(RuntimeError):
    """A tool ended with an error, or is not there; the text says which."""


_runtime_loaded = False
_beside_loaded = set()  # libraries from beside the runtime


def _homes():
    """Folders that may hold bin/ and lib/: TORCHPROF_HOME, then those above
    this file (an install prefix or a build tree)."""
    named = os.environ.get("TORCHPROF_HOME")
    if named:
        yield named
    folder = os.path.dirname(os.path.abspath(__file__))
    for _ in range(5):
        folder = os.path.dirname(folder)
        yield folder


def tool_path(name):
    """Path of a tool, e.g. "torchprof-report"."""
    for home in _homes():
        path = os.path.join(home, "bin", name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    path = shutil.which(name)
    if path:
        return path
    raise ToolError(
        "%s not found beside the package or on PATH; set TORCHPROF_HOME to "
        "the folder that holds bin/%s" % (name, name)
    )


def runtime_path():
    """Path of libtorchprof_runtime.so."""
    library = "libtorchprof_runtime.so"
    for home in _homes():
        for pattern in ("lib", "lib64", os.path.join("lib", "*-linux-gnu*")):
            found = glob.glob(os.path.join(home, pattern, library))
            if found:
                return found[0]
    return run_tool("torchprof", "--print-runtime-path").strip()


def run_tool(name, *arguments):
    """Runs a tool and returns what it prints; raises ToolError if it fails.
    Exit code 1 is a finding (of diff or check), not a failure."""
    done = subprocess.run(
        [tool_path(name)] + [str(argument) for argument in arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    if done.returncode not in (0, 1):
        raise ToolError(done.stderr.strip() or "%s failed" % name)
    return done.stdout


def _check_version():
    """The runtime must be built with the LibTorch of this process."""
    try:
        text = run_tool("torchprof", "version")
    except ToolError:
        return
    built = text.partition("(LibTorch ")[2].partition(")")[0]
    here = torch.__version__
    if built and built.split(".")[:2] != here.split(".")[:2]:
        raise ToolError(
            "the runtime was built with LibTorch %s, but this Python has "
            "torch %s; use a build for this one" % (built, here)
        )


def _load_beside(library):
    """Loads the runtime and, once, a library from beside it."""
    load_runtime()
    if library in _beside_loaded:
        return
    path = os.path.join(os.path.dirname(runtime_path()), library)
    if not os.path.exists(path):
        raise ToolError("%s not found; it is installed with the runtime" % path)
    torch.ops.load_library(path)
    _beside_loaded.add(library)


def load_passes():
    """Loads what instruments models in this process."""
    _load_beside("libtorchprof_passes_ops.so")


def load_hooks():
    """Attaches to this process: TorchScript that runs here for the first time
    from now on is profiled, without being instrumented."""
    _load_beside("libtorchprof_attach.so")


def load_runtime():
    """Loads the runtime into this process, once. Unless TORCHPROF_FILE says
    where the process's own profile goes, it goes to a temporary folder that
    is removed at exit: `profile` takes its snapshots from there."""
    global _runtime_loaded
    if _runtime_loaded:
        return
    path = runtime_path()
    _check_version()
    torch.ops.load_library(path)
    if "TORCHPROF_FILE" not in os.environ:
        folder = tempfile.mkdtemp(prefix="torchprof-")
        owner = os.getpid()

        def remove():
            if os.getpid() == owner:  # not in a forked child
                shutil.rmtree(folder, ignore_errors=True)

        atexit.register(remove)
        torch.ops.torchprof.set_option(
            "file", os.path.join(folder, "%p.tprof"))
    _runtime_loaded = True
