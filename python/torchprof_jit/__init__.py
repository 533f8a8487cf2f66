"""Profiles TorchScript models from Python.

    import torchprof_jit

    p = torchprof_jit.profile(model)     # any nn.Module, ScriptModule or .pt
    p(torch.rand(1, 3, 224, 224))
    print(p.summary())

Pure Python: it talks to the runtime and to the passes through
torch.ops.torchprof and starts torchprof's tools for reports. docs/python.md is
the manual.
"""

from ._instrument import InstrumentError, instrument
from ._profile import Action, profile, schedule
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
