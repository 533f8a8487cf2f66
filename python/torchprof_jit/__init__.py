"""Profiles TorchScript models from Python.

    import torchprof_jit

    p = torchprof_jit.profile(model)     # any nn.Module, ScriptModule or .pt
    p(torch.rand(1, 3, 224, 224))
    print(p.summary())

Pure Python: it talks to the runtime and to the passes through
torch.ops.torchprof and starts torchprof's tools for reports. docs/python.md is
the manual.

Names are imported when they are first used: commands such as
`python3 -m torchprof_jit report` need no torch, and do not wait for it.
"""

import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from ._instrument import InstrumentError, instrument
    from ._profile import Action, profile, schedule
    from ._tools import ToolError, load_runtime, runtime_path, tool_path

_homes = {
    "Action": "._profile",
    "InstrumentError": "._instrument",
    "ToolError": "._tools",
    "instrument": "._instrument",
    "load_runtime": "._tools",
    "profile": "._profile",
    "runtime_path": "._tools",
    "schedule": "._profile",
    "tool_path": "._tools",
}

__all__ = [
    "Action",
    "InstrumentError",
    "ToolError",
    "instrument",
    "load_runtime",
    "profile",
    "runtime_path",
    "schedule",
    "tool_path",
]


def __getattr__(name: str) -> Any:
    if name not in _homes:
        raise AttributeError(
            "module %r has no attribute %r" % (__name__, name))
    value = getattr(importlib.import_module(_homes[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
