"""Profiles TorchScript models from Python.

    import torchprof_jit

    p = torchprof_jit.profile(model)     # any nn.Module, ScriptModule or .pt
    p(torch.rand(1, 3, 224, 224))
    print(p.summary())

Pure Python: it starts torchprof's tools and talks to the runtime through
torch.ops.torchprof. docs/python.md is the manual.
"""

from ._instrument import instrument
from ._profile import Action, profile, schedule
from ._tools import ToolError, load_runtime, runtime_path, tool_path

__all__ = [
    "Action",
    "ToolError",
    "instrument",
    "load_runtime",
    "profile",
    "runtime_path",
    "schedule",
    "tool_path",
]
