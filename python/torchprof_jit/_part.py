"""What a range has recorded: snapshots of the process."""

import collections
import contextlib
import os
import shutil
import weakref

from . import _tools


class _File(weakref.ref):
    """What a part leaves behind: its file."""

    def __init__(self, part, when_gone):
        super().__init__(part, when_gone)
        self.path = part.path
        self.process = os.getpid()

    def remove(self):
        _files.pop(id(self), None)
        if self.process == os.getpid():  # else it is a forked child's parent's
            with contextlib.suppress(OSError):  # gone with its folder
                os.unlink(self.path)


_files = {}  # of all parts, by id: a part may have had another one before
# Of parts that are gone. They are removed where an exception, as the handler of a signal
# may raise it, is the caller's: it would be lost in what Python calls when an object goes.
_left = collections.deque()


def _remove_left():
    with contextlib.suppress(IndexError):
        while True:
            _left.popleft().remove()


class Part:
    """A snapshot. If `thread` is an id, only what that thread has recorded counts.
    Exact: its range began with that empty, and the lane of a living thread holds
    only what it recorded since.

    The file is there as long as the part is: who reads it holds the part."""

    def __init__(self, path, thread):
        self._thread = thread
        self._own(path)

    def _own(self, path):
        self.path = path
        if path is not None:
            # At exit it goes with its folder, once the program's own handlers,
            # which may read it, have run.
            self._file = _File(self, _left.append)
            _files[id(self._file)] = self._file

    def file(self):
        """Path of a file without what does not count, None if that is nothing.
        Made when somebody asks, so that ranges cost their program little; one
        thread at a time may ask."""
        if self.path is None or self._thread is None:
            return self.path
        path = "%s.%d.tprof" % (self.path, os.getpid())
        try:
            _tools.run_tool("torchprof-report", "convert", "--to=tprof",
                            "--thread=id:%d" % self._thread, "-o", path,
                            self.path)
        except _tools.ToolError as error:
            if not any(text in str(error) for text in (
                    "no thread matches", "no thread of --thread")):
                raise
            path = None
        old = self._file
        self._own(path)
        self._thread = None
        old.remove()
        return path


def _same_file(path, other):
    """Makes `other` hold what `path` does."""
    try:
        os.link(path, other)
    except OSError:  # on another file system, or one without links
        shutil.copyfile(path, other)


def snapshots(ops, places):
    """What the runtime holds now, as one Part for each of `places`, which are paths and
    threads: all hold the same. None if no probe ran. If one cannot be made there is
    none, and OSError."""
    _remove_left()
    if ops.stats()["count"] == 0:
        return []
    path = places[0][0]
    failed = ops.snapshot(path)
    if failed:
        raise OSError(failed, os.strerror(failed), path)
    # They own their files before these are there: a copy may fail halfway.
    parts = [Part(*place) for place in places]
    for part in parts[1:]:
        _same_file(path, part.path)
    return parts


def joined(parts, path):
    """One part with all that parts hold: the only one that holds anything, or a new
    one with its file at `path`. One thread at a time may ask, as for files."""
    _remove_left()
    full = [part for part in parts if part.file()]
    if len(full) < 2:
        return full[0] if full else Part(None, None)
    _tools.run_tool("torchprof-report", "merge", "--parts",
                    *[part.path for part in full], "-o", path)
    return Part(path, None)
