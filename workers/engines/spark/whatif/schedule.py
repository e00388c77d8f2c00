"""When the stages of a run end: their tasks handed out to slots one after the other, as Spark's scheduler does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

Milliseconds = NDArray[np.float64]

NOTHING: Milliseconds = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Work:
    """A stage attempt as the scheduler sees it."""

    order: tuple[int, ...]
    """Of two that have tasks waiting, the lower one goes first: Spark's FIFO goes by job, then by stage."""
    before: tuple[tuple[int, float], ...] = ()
    """What has to end first, by place in the list, and how many ms after that end this one may start. Without any it starts at `at_ms`."""
    at_ms: float = 0
    """Earliest start, from the run's own."""
    tail_ms: float = 0
    """From the end of its last task to its own end; all of its duration where it has no tasks to hand out."""
    times: Milliseconds = field(default_factory=lambda: NOTHING)
    """The times of its tasks, in the order they are handed out."""


def ends(works: Sequence[Work], slots: int) -> list[float]:
    """When each ends, ms from the run's start. List scheduling (Graham, SIAM J. Appl. Math. 17, 1969): a slot that becomes free takes
    the first waiting task, so the end is at most twice the best possible one. What waits for itself never starts and ends at 0."""
    ended = [0.0] * len(works)
    waiting = [len(work.before) for work in works]
    release = [work.at_ms for work in works]
    followers: list[list[tuple[int, float]]] = [[] for _ in works]
    for place, work in enumerate(works):
        for earlier, lag in work.before:
            followers[earlier].append((place, lag))
    tasks = [work.times.tolist() for work in works]
    handed, running = [0] * len(works), [0] * len(works)
    free = max(1, slots)
    ready: list[tuple[tuple[int, ...], int]] = []
    events: list[tuple[float, int, int]] = []  # when, what (0 a task ended, 1 the stage did, 2 it may start), which
    for place in range(len(works)):
        if not waiting[place]:
            heappush(events, (release[place], 2, place))
    while events:
        now = events[0][0]
        while events and events[0][0] <= now:
            _, what, place = heappop(events)
            if what == 0:
                free += 1
                running[place] -= 1
                if not running[place] and handed[place] == len(tasks[place]):
                    heappush(events, (now + works[place].tail_ms, 1, place))
            elif what == 1:
                ended[place] = now
                for follower, lag in followers[place]:
                    release[follower] = max(release[follower], now + lag)
                    waiting[follower] -= 1
                    if not waiting[follower]:
                        heappush(events, (release[follower], 2, follower))
            elif tasks[place]:
                heappush(ready, (works[place].order, place))
            else:
                heappush(events, (now + works[place].tail_ms, 1, place))
        while free and ready:
            place = ready[0][1]
            heappush(events, (now + tasks[place][handed[place]], 0, place))
            handed[place] += 1
            running[place] += 1
            free -= 1
            if handed[place] == len(tasks[place]):
                heappop(ready)
    return ended
