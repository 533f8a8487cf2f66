"""instrument(): any model in, an instrumented ScriptModule out."""

import logging
import os
import tempfile

import torch

from . import _tools

_log = logging.getLogger("torchprof_jit")


def is_instrumented(module):
    return isinstance(module, torch.jit.ScriptModule) and hasattr(
        module, "_torchprof_manifest"
    )


def _to_script(module, example_inputs):
    """A ScriptModule for an eager module: scripted, else traced."""
    if isinstance(module, torch.jit.ScriptModule):
        return module
    if not isinstance(module, torch.nn.Module):
        raise TypeError(
            "expected a module or the path of a model, found %s"
            % type(module).__name__
        )
    try:
        scripted = torch.jit.script(module)
        _log.info("scripted %s", type(module).__name__)
        return scripted
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
    module_or_path,
    example_inputs=None,
    nodes="default",
    granularity="op",
    include=(),
    exclude=(),
    methods=(),
):
    """Returns an instrumented ScriptModule.

    module_or_path  an eager module (it is scripted; if that fails it is
                    traced with example_inputs, and a warning of the logger
                    "torchprof_jit" says so), a ScriptModule, or a .pt file
    nodes           "default" or "all"
    granularity     "op" or "module"
    include, exclude  globs on kind or module path
    methods         names of the methods to instrument; all if empty

    The model that is passed in is not changed. One that is instrumented
    already is returned, or loaded, as it is.
    """
    _tools.load_runtime()
    if is_instrumented(module_or_path):
        return module_or_path
    options = ["--quiet", "--nodes=" + nodes, "--granularity=" + granularity]
    options += ["--include=" + glob for glob in include]
    options += ["--exclude=" + glob for glob in exclude]
    options += ["--methods=" + name for name in methods]
    with tempfile.TemporaryDirectory(prefix="torchprof-") as folder:
        if isinstance(module_or_path, (str, os.PathLike)):
            original = os.fspath(module_or_path)
            loaded = torch.jit.load(original)
            if is_instrumented(loaded):
                return loaded
            training = loaded.training
        else:
            script = _to_script(module_or_path, example_inputs)
            training = script.training
            original = os.path.join(folder, "model.pt")
            torch.jit.save(script, original)
        result = os.path.join(folder, "model_instr.pt")
        _tools.run_tool(
            "torchprof-opt", "--instrument", original, "-o", result, *options
        )
        instrumented = torch.jit.load(result)
    instrumented.train(training)
    return instrumented
