"""instrument(): any model in, an instrumented ScriptModule out."""

import ctypes
import io
import logging
import os
from typing import Any, Sequence, Union

import torch

from . import _tools

_log = logging.getLogger("torchprof_jit")


class InstrumentError(RuntimeError):
    """A model that cannot be instrumented; the text says why."""


def has_manifest(module: object) -> bool:
    return isinstance(module, torch.jit.ScriptModule) and hasattr(
        module, "_torchprof_manifest"
    )


def is_instrumented(module: object) -> bool:
    """Also if it was frozen since, which leaves the probes alone."""
    if has_manifest(module):
        return True
    return isinstance(module, torch.jit.ScriptModule) and any(
        module._c._get_method(name).graph.findAllNodes("torchprof::enter")
        for name in module._c._method_names()
    )


def scripted(module: Any, example_inputs: Any = None) -> torch.jit.ScriptModule:
    """A ScriptModule: loaded from a .pt file, or for an eager module scripted,
    else traced. One that is given is returned."""
    if isinstance(module, torch.jit.ScriptModule):
        return module
    if isinstance(module, (str, os.PathLike)):
        return torch.jit.load(os.fspath(module))
    if not isinstance(module, torch.nn.Module):
        raise TypeError(
            "neither a module nor the path of a model: %s"
            % type(module).__name__
        )
    try:
        script = torch.jit.script(module)
        _log.info("scripted %s", type(module).__name__)
        return script
    except Exception as error:
        if example_inputs is None:
            raise RuntimeError(
                "%s cannot be scripted; give example_inputs to trace it: %s"
                % (type(module).__name__, error)
            ) from error
        reason = str(error).strip().split("\n")[0]
    if isinstance(example_inputs, torch.Tensor):
        example_inputs = (example_inputs,)
    traced = torch.jit.trace(module, tuple(example_inputs))
    _log.warning(
        "traced %s, because it cannot be scripted (%s)",
        type(module).__name__,
        reason,
    )
    return traced


def instrument(
    module_or_path: Union[torch.nn.Module, str, "os.PathLike[str]"],
    example_inputs: Any = None,
    nodes: str = "default",
    granularity: str = "op",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    methods: Sequence[str] = (),
) -> torch.jit.ScriptModule:
    """Returns an instrumented ScriptModule.

    module_or_path  an eager module (it is scripted; if that fails it is
                    traced with example_inputs, and a warning of the logger
                    "torchprof_jit" says so), a ScriptModule, or a .pt file
    nodes           "default" or "all"
    granularity     "op" or "module"
    include, exclude  globs on kind or module path
    methods         names of the methods to instrument; all if empty

    The model that is passed in is not changed. One that is instrumented
    already is returned, or loaded, as it is. Raises InstrumentError.
    """
    _tools.load_passes()
    if is_instrumented(module_or_path):
        return module_or_path
    if isinstance(module_or_path, (str, os.PathLike)):
        path = os.fspath(module_or_path)
        loaded = torch.jit.load(path)
        if is_instrumented(loaded):
            return loaded
        with open(path, "rb") as file:
            archive = bytearray(file.read())
        name = os.path.splitext(os.path.basename(path))[0]
        where = path + ": "
    else:
        script = scripted(module_or_path, example_inputs)
        buffer = io.BytesIO()
        torch.jit.save(script, buffer)
        archive = bytearray(buffer.getbuffer())
        name = script.original_name
        where = ""
    try:
        result = torch.ops.torchprof._instrument(
            torch.frombuffer(archive, dtype=torch.uint8),
            name,
            nodes,
            granularity,
            list(include),
            list(exclude),
            list(methods),
        )
    except RuntimeError as error:
        raise InstrumentError(where + str(error)) from None
    # Without numpy a tensor gives no buffer of its own.
    data = ctypes.string_at(result.data_ptr(), result.numel())
    return torch.jit.load(io.BytesIO(data))
