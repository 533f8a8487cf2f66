"""The commands that pip installs: each becomes the tool of its name."""

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


def torchprof() -> NoReturn:
    _become("torchprof")


def torchprof_opt() -> NoReturn:
    _become("torchprof-opt")


def torchprof_record() -> NoReturn:
    _become("torchprof-record")


def torchprof_report() -> NoReturn:
    _become("torchprof-report")


def torchprof_run() -> NoReturn:
    _become("torchprof-run")
