"""The garbage collector, set for a process that lives long and keeps much.

Python's full collection looks at every object that lives. A retriever keeps tens of thousands of small ones (what it has read of
the history), so that each full collection takes as long as a step itself, and with the default thresholds one comes every twenty
steps. What is loaded at the start is never garbage, and full collections are put further apart. The young objects, too, are
looked at between two steps, where nobody waits: what one step reads of the history costs some milliseconds to look at.
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
