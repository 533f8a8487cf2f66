"""What profiles have the runtime record, which holds for the whole process."""

import os
from typing import Dict, Set

_chosen: Dict[str, Set[str]] = {}  # words of the runtime's options


def chosen(option):
    """The words of an option of the runtime."""
    return _chosen.setdefault(
        option, set(os.environ.get("TORCHPROF_" + option.upper(), "").split(",")))


def decide(operators, argument, option, word):
    """Adds a word to an option of the runtime: the first profile decides."""
    words = chosen(option)
    if word in words:
        return
    value = word if option == "mode" else ",".join(sorted(words | {word}))
    if operators.set_option(option, value.strip(",")) != 0:
        raise RuntimeError(
            "%s: this process records without it already; the first profile "
            "decides" % argument)
    words.add(word)
