"""Devices beside the CPU."""

import torch


def wants_one(activities):
    """True if an activity, of torch.profiler's or by name, is not the CPU's."""
    if isinstance(activities, str):
        activities = [activities]
    names = [getattr(activity, "name", str(activity))
             for activity in activities or ()]
    return any(name.upper() != "CPU" for name in names)


def synchronize():
    """Waits for the devices that this process uses. The others are not even asked
    whether they are there: children that are forked later could not use them."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
        # To wait for one that the process does not use would take memory there.
        for index in range(torch.cuda.device_count()):
            if torch._C._cuda_hasPrimaryContext(index):
                torch.cuda.synchronize(index)
    backend = getattr(torch._C, "_get_privateuse1_backend_name", None)
    for name in ("xpu", backend() if backend else "privateuseone"):
        module = getattr(torch, name, None)
        # A module that does not know whether it is in use has nothing to begin.
        if (getattr(module, "is_initialized", lambda: True)()
                and getattr(module, "is_available", bool)()):
            getattr(module, "synchronize", bool)()
