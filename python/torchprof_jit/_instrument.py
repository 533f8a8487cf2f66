"""instrument(): any model in, an instrumented ScriptModule out."""

import ctypes
import io
import logging
import os
import zipfile
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


def _explained(reason: str) -> str:
    """What torchprof-opt says in the place of LibTorch's words."""
    # Of prim::ConstantMKLDNNTensor.
    if "required keyword attribute 'value' is undefined" in reason:
        return ("the model is one of optimize_for_inference, of which LibTorch saves "
                "no oneDNN constants: take the frozen model, or attach to the process "
                "that optimizes it")
    return reason


def _why_no_model(path: str, error: Exception) -> str:
    """Why torch.jit.load could not load a file. What LibTorch says of one that holds no
    model is about its reader; torchprof-opt has the same words as this."""
    try:
        with open(path, "rb") as file:
            magic = file.read(2)
        if not magic:
            return "the file is empty"
        if magic != b"PK":
            return "not a TorchScript archive (a zip file)"
        with zipfile.ZipFile(path) as archive:
            records = {name.partition("/")[2] for name in archive.namelist()}
    except OSError as cause:
        return cause.strerror or str(cause)
    except zipfile.BadZipFile:
        records = {"constants.pkl"}
    if ".data/version" in records:
        return ("a torch.package archive: load its model with "
                "torch.package.PackageImporter and save that with torch.jit.save")
    if "constants.pkl" not in records:
        return ("an archive without code: save the model with torch.jit.save, "
                "not torch.save")
    reason = _explained(str(error).strip().split("\n")[0].rstrip(" .:"))
    if reason.startswith("PytorchStreamReader failed"):
        return "truncated or damaged archive: " + reason
    return reason


def _load(path: str) -> torch.jit.ScriptModule:
    try:
        return torch.jit.load(path)
    except (RuntimeError, ValueError, OSError) as error:
        raise InstrumentError(
            "%s: %s" % (path, _why_no_model(path, error))) from error


def scripted(module: Any, example_inputs: Any = None) -> torch.jit.ScriptModule:
    """A ScriptModule: loaded from a .pt file, or for an eager module scripted,
    else traced. One that is given is returned."""
    if isinstance(module, torch.jit.ScriptModule):
        return module
    if isinstance(module, (str, os.PathLike)):
        return _load(os.fspath(module))
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


def _share_tensors(copy, original):
    """Gives a module the parameters and buffers of the one it was copied from, the
    very same tensors: an optimizer that has these trains both. Both are LibTorch's
    own modules."""
    for kind in (torch._C.ParameterDict, torch._C.BufferDict):
        for name, tensor in kind(original).items():
            copy.setattr(name, tensor)
    parts = dict(torch._C.ModuleDict(copy).items())
    for name, part in torch._C.ModuleDict(original).items():
        _share_tensors(parts[name], part)


def _names(given):
    """A list of them; a string, a sequence of letters, is one."""
    return [given] if isinstance(given, str) else list(given)


def instrument(
    module_or_path: Union[torch.nn.Module, str, "os.PathLike[str]"],
    example_inputs: Any = None,
    nodes: str = "default",
    granularity: str = "op",
    include: Union[str, Sequence[str]] = (),
    exclude: Union[str, Sequence[str]] = (),
    methods: Union[str, Sequence[str]] = (),
) -> torch.jit.ScriptModule:
    """Returns an instrumented ScriptModule.

    module_or_path  an eager module (it is scripted; if that fails it is
                    traced with example_inputs, and a warning of the logger
                    "torchprof_jit" says so), a ScriptModule, or a .pt file
    nodes           "default" or "all"
    granularity     "op" or "module"
    include, exclude  globs on kind or module path, one or several
    methods         names of the methods to instrument; all if empty

    The model that is passed in is not changed, but its parameters and buffers are
    those of what is returned: who trains one trains the other. One that is
    instrumented already is returned, or loaded, as it is. Raises InstrumentError.
    """
    _tools.load_passes()
    if is_instrumented(module_or_path):
        return module_or_path
    if isinstance(module_or_path, (str, os.PathLike)):
        path = os.fspath(module_or_path)
        loaded = _load(path)
        if is_instrumented(loaded):
            return loaded
        with open(path, "rb") as file:
            archive = bytearray(file.read())
        name = os.path.splitext(os.path.basename(path))[0]
        where = path + ": "
        script = None
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
            _names(include),
            _names(exclude),
            _names(methods),
        )
    except RuntimeError as error:
        raise InstrumentError(where + _explained(str(error))) from None
    # Without numpy a tensor gives no buffer of its own.
    data = ctypes.string_at(result.data_ptr(), result.numel())
    copy = torch.jit.load(io.BytesIO(data))
    if script is not None:
        _share_tensors(copy._c, script._c)
    return copy
