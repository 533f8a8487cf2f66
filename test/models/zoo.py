"""What an entry of the model zoo is, and the table of all entries."""

import dataclasses
from typing import Callable, Tuple


@dataclasses.dataclass(frozen=True)
class Call:
    """One way to run a model, in torchprof-run's words.

    An input `@FILE` is a file beside the model, made together with it."""

    inputs: Tuple[str, ...] = ()
    method: str = "forward"
    raises: bool = False  # the call ends with an exception, always


@dataclasses.dataclass(frozen=True)
class Model:
    """One entry. `make` returns a ScriptModule; torch is seeded before it.

    Properties:
      traced, frozen, training   how the module was made
      random     outputs differ from call to call unless the seed is set
      mutates    a call changes its input tensors
      asynchronous  forks; sites may run on other threads
      quantized  needs a quantized engine (all builds here have qnnpack)
      interface  calls through an interface type that cannot be inlined
      custom-op  needs torchvision's own operators (torchvision::nms)
      products   without grad LibTorch computes products of matrices at once, but not
                 around probes: outputs are equal up to rounding in hosts without hooks
      no-method  nothing to instrument: an error is expected
      hooks      the root has hooks, which Python runs and forward() does not
      reordered  with grad, LibTorch 2.13 orders what a group keeps for its backward
                 now so and now so, in processes without torchprof too
    """

    name: str
    make: Callable
    calls: Tuple[Call, ...] = ()
    properties: Tuple[str, ...] = ()
    files: Callable = dict  # name of a file beside the model -> value to save


def table():
    """All entries by group. Imports torch and torchvision."""
    import effects_zoo
    import field_zoo
    import language_zoo
    import torchvision_zoo

    return {
        "language": language_zoo.MODELS + effects_zoo.MODELS,
        "field": field_zoo.MODELS,
        "torchvision": torchvision_zoo.MODELS,
    }
