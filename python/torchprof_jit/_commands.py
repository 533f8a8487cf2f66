"""The commands that pip installs: each becomes the tool of its name."""

import functools
import os
import sys
from typing import NoReturn

from . import _tools


def _become(name: str) -> NoReturn:
    try:
        path = _tools.tool_path(name)
        os.execv(path, [path] + sys.argv[1:])
    except (OSError, _tools.ToolError) as error:
        sys.exit("%s: error: %s" % (name, error))


torchprof = functools.partial(_become, "torchprof")
torchprof_opt = functools.partial(_become, "torchprof-opt")
torchprof_record = functools.partial(_become, "torchprof-record")
torchprof_report = functools.partial(_become, "torchprof-report")
torchprof_run = functools.partial(_become, "torchprof-run")
