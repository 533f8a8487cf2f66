"""Finds torchprof's tools and its runtime, and starts them."""

import ctypes
import errno
import glob
import logging
import os
import shutil
import subprocess
import tempfile
from typing import Iterator, Optional, Set

# torch is imported where it is needed: commands do not wait for it.


class ToolError(RuntimeError):
    """A tool ended with an error, or is not there; the text says which."""


_runtime_loaded = False
_others_profile: Optional[str] = None  # what the process records into, if not our file
_beside_loaded: Set[str] = set()  # libraries from beside the runtime


def _homes() -> Iterator[str]:
    """Folders that may hold bin/ and lib/: TORCHPROF_HOME, then that of this
    file (a wheel) and those above it (an install prefix or a build tree), then
    that of the torchprof on PATH."""
    named = os.environ.get("TORCHPROF_HOME")
    if named:
        yield named
    folder = os.path.dirname(os.path.abspath(__file__))
    for _ in range(6):
        yield folder
        folder = os.path.dirname(folder)
    tool = shutil.which("torchprof")
    if tool:
        yield os.path.dirname(os.path.dirname(os.path.realpath(tool)))


def _is_command(path: str) -> bool:
    """True for a script of pip's, which starts the tool (_commands.py): that would
    start itself for ever."""
    try:
        with open(path, "rb") as file:
            return b"torchprof_jit._commands" in file.read(4096)
    except OSError:
        return False


def tool_path(name: str) -> str:
    """Path of a tool, e.g. "torchprof-report"."""
    folders = [os.path.join(home, "bin") for home in _homes()]
    for folder in folders + os.get_exec_path():
        path = os.path.join(folder, name)
        if (folder and os.access(path, os.X_OK) and os.path.isfile(path)
                and not _is_command(path)):
            return path
    raise ToolError(
        "%s not found beside the package or on PATH; set TORCHPROF_HOME to "
        "the folder that holds bin/%s" % (name, name)
    )


def _preload_libraries() -> Iterator[str]:
    for home in _homes():
        for pattern in ("lib", "lib64", os.path.join("lib", "*-linux-gnu*")):
            yield from glob.glob(os.path.join(
                glob.escape(home), pattern, "libtorchprof_preload.so"))


def _folder_of_loaded() -> Optional[str]:
    """The folder of the runtime that this process has loaded already: its
    program did so itself, or a model that ran under `torchprof record`."""
    name = "libtorchprof_runtime.so"
    with open("/proc/self/maps", "rb") as maps:
        for line in maps:
            path = os.fsdecode(b"".join(line.rstrip(b"\n").split(None, 5)[5:]))
            folder, file = os.path.split(path)
            if file == name:
                return folder
            if file == name + " (deleted)":
                raise ToolError(
                    "%s: this process has loaded it, and it was removed or "
                    "replaced since" % os.path.join(folder, name))
    return None


def _torch_folder() -> str:
    """The folder of what was built with the LibTorch of this process. Where another
    installation's runtime is loaded, it is that one's: a second runtime would end
    the process."""
    import torch

    loaded = _folder_of_loaded()
    if loaded is not None:
        return loaded
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


def runtime_path() -> str:
    """Path of libtorchprof_runtime.so, of the one that was built with the
    LibTorch of this process."""
    return os.path.join(_torch_folder(), "libtorchprof_runtime.so")


def run_tool(name: str, *arguments: object) -> str:
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


def _load_beside(library: str) -> None:
    """Loads the runtime and, once, a library from beside it."""
    import torch

    load_runtime()
    if library in _beside_loaded:
        return
    path = os.path.join(_torch_folder(), library)
    if not os.path.exists(path):
        raise ToolError("%s not found; it is installed with the runtime" % path)
    torch.ops.load_library(path)
    _beside_loaded.add(library)


def load_passes() -> None:
    """Loads what instruments models in this process."""
    _load_beside("libtorchprof_passes_ops.so")


def load_hooks() -> None:
    """Attaches to this process: TorchScript that runs here for the first time
    from now on is profiled, without being instrumented."""
    library = "libtorchprof_attach.so"
    if library not in _beside_loaded:
        _load_beside(library)
        _warn_of_ranges()


def _warn_of_ranges() -> None:
    """Tells who has the process recorded, as `torchprof record` does, that its
    profile will be one of ranges."""
    import torch

    if _others_profile and torch.ops.torchprof.stats()["begins"]:
        logging.getLogger("torchprof_jit").warning(
            "torchprof: warning: profile() takes over %s: a range that begins "
            "empties it, and outside of ranges nothing is recorded any more",
            _others_profile)


def temporary_folder(owner: object = None) -> str:
    """A new folder, which is removed with its owner or when this process ends, and
    not when a forked child does. atexit is not enough: workers of multiprocessing
    leave it out."""
    import multiprocessing.util

    folder = tempfile.mkdtemp(prefix="torchprof-")
    multiprocessing.util.Finalize(owner, shutil.rmtree, args=(folder, True),
                                  exitpriority=-1)
    return folder


def load_runtime() -> None:
    """Loads the runtime into this process, once. Unless TORCHPROF_FILE says
    where the process's own profile goes, or it is there already, it goes to a
    temporary folder that is removed at exit: `profile` takes its snapshots from
    there."""
    import torch

    global _runtime_loaded, _others_profile
    if _runtime_loaded:
        return
    path = runtime_path()
    torch.ops.load_library(path)
    if "TORCHPROF_FILE" in os.environ:
        _others_profile = "the profile that TORCHPROF_FILE names"
    elif torch.ops.torchprof.set_option(
            "file", os.path.join(temporary_folder(), "%p.tprof")) == errno.EBUSY:
        _others_profile = "the profile that the process records already"
    _runtime_loaded = True
