"""Schedules: which steps of a program are recorded."""

import enum
from typing import Callable


class Action(enum.Enum):
    """What one step of a schedule does."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3  # record; a profile is ready when the step ends


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0,
             skip_first: int = 0) -> Callable[[int], Action]:
    """As torch.profiler.schedule: after skip_first steps, cycles of `wait`
    steps without recording, `warmup` and `active` steps; `repeat` cycles, or
    for ever if it is 0. Probes need no warm-up, so those steps are skipped.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise ValueError("steps must be 0 or more, and active above 0")

    def action(step: int) -> Action:
        if step < skip_first:
            return Action.NONE
        cycle, place = divmod(step - skip_first, wait + warmup + active)
        if repeat and cycle >= repeat:
            return Action.NONE
        if place < wait:
            return Action.NONE
        if place < wait + warmup:
            return Action.WARMUP
        if place < wait + warmup + active - 1:
            return Action.RECORD
        return Action.RECORD_AND_SAVE

    return action


def always(_):
    return Action.RECORD
