"""What a test does whose models fork tasks."""

import time


def rest():
    """A thread of LibTorch's pool that drops a tensor of Python's while Python ends
    aborts the process, attached or not (2.13): lets it finish what it does."""
    time.sleep(0.5)
