"""Finds torchprof's tools and its runtime, and starts them."""

import atexit
import ctypes
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


def _preload_libraries():
    for home in _homes():
        for pattern in ("lib", "lib64", os.path.join("lib", "*-linux-gnu*")):
            yield from glob.glob(
                os.path.join(home, pattern, "libtorchprof_preload.so"))
    tool = shutil.which("torchprof")
    if tool:
        home = os.path.dirname(os.path.dirname(os.path.realpath(tool)))
        yield from glob.glob(
            os.path.join(home, "lib", "**", "libtorchprof_preload.so"))


def _torch_folder():
    """The folder of what was built with the LibTorch of this process."""
    reason = ("libtorchprof_preload.so not found beside the package or on "
              "PATH; set TORCHPROF_HOME to the folder that holds lib/")
    for number, path in enumerate(_preload_libraries()):
        text = ctypes.create_string_buffer(1 << 14)
        if ctypes.CDLL(path).torchprof_find_runtime(text, len(text)):
            return os.fsdecode(text.value)
        if number == 0:
            reason = "torch %s: %s" % (
                torch.__version__, os.fsdecode(text.value))
    raise ToolError(reason)


def runtime_path():
    """Path of libtorchprof_runtime.so, of the one that was built with the
    LibTorch of this process."""
    return os.path.join(_torch_folder(), "libtorchprof_runtime.so")


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


def _load_beside(library):
    """Loads the runtime and, once, a library from beside it."""
    load_runtime()
    if library in _beside_loaded:
        return
    path = os.path.join(_torch_folder(), library)
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
