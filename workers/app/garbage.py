"""Settings of the garbage collector for a process that lives long and keeps many objects.

A full collection of Python visits every live object. A retriever keeps tens of thousands of small objects (the part of the history
that it has read), so a full collection takes as long as a step, and with the default thresholds there is one every twenty steps.
Objects loaded at the start are never garbage, so they are frozen, and full collections are made rarer. Young objects are collected
between two steps, when nobody waits: visiting what one step has read costs some milliseconds.
"""

import gc

THRESHOLDS = (20_000, 20, 100)
"""New objects before the youngest generation is looked at, and how many of its rounds before the next ones are. Python's own are
700 (or 2,000), 10, 10."""


def settle() -> None:
    """Call once, when the process has loaded what it works with."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


_YOUNG = 4_000
"""New objects from which looking at them between two steps is worth while: of a few steps of the retriever."""


def tidy() -> None:
    """Call between two steps: does what would otherwise be due in the middle of one of the next."""
    young, middle, _ = gc.get_count()
    if young > _YOUNG:
        gc.collect(1 if middle >= THRESHOLDS[1] else 0)
