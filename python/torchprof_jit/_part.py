"""What a range has recorded: snapshots of the process."""

import os

from . import _tools


class Part:
    """A snapshot. If `thread` is an id, only what that thread has recorded counts.
    Exact: its range began with that empty, and the lane of a living thread holds
    only what it recorded since."""

    def __init__(self, path, thread):
        self.path = path
        self._thread = thread
        self._process = os.getpid()

    def file(self):
        """Path of a file without what does not count, None if that is nothing.
        Made when somebody asks, so that ranges cost their program little."""
        if self.path is None or self._thread is None:
            return self.path
        path = "%s.%d.tprof" % (self.path, os.getpid())
        try:
            _tools.run_tool("torchprof-report", "convert", "--to=tprof",
                            "--thread=id:%d" % self._thread, "-o", path,
                            self.path)
        except _tools.ToolError as error:
            if "no thread matches" not in str(error):
                raise
            path = None
        self.remove()
        self.path, self._thread, self._process = path, None, os.getpid()
        return self.path

    def remove(self):
        """Removes the file, unless it is that of a forked child's parent."""
        if self.path is not None and self._process == os.getpid():
            os.unlink(self.path)
        self.path = None
