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
    from ._profile import profile
    from ._schedule import Action, schedule
    from ._tools import ToolError, load_runtime, runtime_path, tool_path

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
    if name in __all__:
        # The one that needs no torch first.
        for place in ("._tools", "._instrument", "._schedule", "._profile"):
            module = importlib.import_module(place, __name__)
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
