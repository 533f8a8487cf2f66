"""What profiles have the runtime record, which holds for the whole process."""

import errno
import logging
import os
from typing import Dict, Optional, Set

# What runtime/lib/Options.def allows.
RECORD = "attributes, blocks, cpu, device, labels, memory, ops, shapes"
_chosen: Dict[str, Set[str]] = {}  # words of the runtime's options
# The schedule of the environment as far as ranges know: "" if it does not apply to them,
# None before the first one.
_schedule: Optional[str] = None


def _of_environment(option):
    """The words that the runtime has taken from the environment: of a list with one
    that it does not know it takes none, and warns."""
    text = os.environ.get("TORCHPROF_" + option.upper(), "")
    if option == "mode":
        return {text}
    words = text.split(",")
    if not words[-1]:
        words.pop()
    taken = {word.lstrip(" ") for word in words}
    return taken if taken <= set(RECORD.split(", ")) else set()


def is_off():
    """True if the environment has the runtime record nothing."""
    return os.environ.get("TORCHPROF") in ("off", "0", "false")


def chosen(option):
    """The words of an option of the runtime."""
    if option not in _chosen:
        _chosen[option] = _of_environment(option)
    return _chosen[option]


def _text(option, words):
    """What the runtime takes for these words."""
    if option == "mode":  # one; without any, what Options.def has for that
        return "".join(words) or "aggregate"
    return ",".join(sorted(words))


def decide(operators, argument, option, word):
    """Adds a word to an option of the runtime, which decides when it first records.
    False if it is there already."""
    words = chosen(option)
    if word in words:
        return False
    value = _text(option, {word} if option == "mode" else words | {word})
    error = operators.set_option(option, value)
    if error == errno.EBUSY:
        raise RuntimeError(
            "%s: this process has recorded without it already; make the first "
            "profile with it, before an instrumented model runs, or set "
            "TORCHPROF_%s=%s" % (argument, option.upper(), value))
    if error:
        raise RuntimeError("%s: the runtime refuses %s=%s: %s" % (
            argument, option, value, os.strerror(error)))
    words.add(word)
    return True


def undo(operators, option, word):
    """Takes back what was decided, unless the process has recorded with it since."""
    words = chosen(option)
    if not operators.set_option(option, _text(option, words - {word})):
        words.discard(word)


def schedule():
    """The schedule of the environment if it applies under ranges, else ""."""
    return _schedule or ""


def end_schedule(operators):
    """Ends the schedule of the environment, which would leave out runs of ranges, and
    empty ranges when its cycles begin. Returns what there is to tell of that, if
    anything."""
    global _schedule
    if _schedule is not None:
        return ""
    _schedule = os.environ.get("TORCHPROF_SCHEDULE", "")
    if not _schedule:
        return ""
    name = "TORCHPROF_SCHEDULE=" + _schedule
    if operators.set_option("schedule", ""):
        return ("%s applies in ranges, because the process had a profile before "
                "profile() was first called: they lack the runs that it leaves out, "
                "and those before its last cycle began" % name)
    _schedule = ""
    return ("profile() takes over: %s no longer applies, and outside of ranges nothing "
            "is recorded" % name)


def undo_schedule(operators):
    """Takes that back. False if the process has a profile, so that it stays as it is."""
    global _schedule
    if operators.set_option("schedule", os.environ.get("TORCHPROF_SCHEDULE", "")):
        return False
    _schedule = None
    return True


def warn(text):
    if text:
        logging.getLogger("torchprof_jit").warning("torchprof: warning: %s", text)
