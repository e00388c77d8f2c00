"""Threads of one process that want the same at the same time go together: one of them does it for all that came meanwhile.

Who comes alone goes alone, at once. Who comes while a round is on its way goes with the next one. Where more are likely to come soon, the
one who begins a round may wait for them a little.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

MOST = 16
"""Threads of one round: the rows that they change are locked together."""

T = TypeVar("T")
R = TypeVar("R")


class _Wanted(Generic[T, R]):
    """What a thread wants done."""

    __slots__ = ("item", "outcome", "turn")

    def __init__(self, item: T) -> None:
        self.item = item
        self.turn = threading.Event()
        """Set when the outcome is there, or without one when its thread is to do the next round."""
        self.outcome: tuple[R | Exception] | None = None


class Together(Generic[T, R]):
    """One of these a process and purpose. Safe to share between threads."""

    def __init__(self, go: Callable[[list[T]], Sequence[R | Exception]], wait_s: Callable[[T], float] = lambda _: 0.0) -> None:
        """`go`: does what is wanted, with an outcome for each. What it raises, it raises for all. `wait_s`: seconds that who begins a round
        with this waits for company."""
        self._go = go
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._waiting: list[_Wanted[T, R]] = []
        self._under_way = False

    def do(self, item: T) -> R:
        """The outcome for this one. Raises its error."""
        mine = _Wanted[T, R](item)
        with self._lock:
            leads = not self._under_way
            self._under_way = True
            if not leads:
                self._waiting.append(mine)
        if not leads:
            mine.turn.wait()
        outcome = self._lead(mine) if mine.outcome is None else mine.outcome[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _lead(self, mine: _Wanted[T, R]) -> R | Exception:
        """Do a round, and hand the next one to a thread that waits for it."""
        if (wait_s := self._wait_s(mine.item)) > 0:
            time.sleep(wait_s)
        with self._lock:
            going = [mine, *self._waiting[: MOST - 1]]
            del self._waiting[: MOST - 1]
        outcomes: Sequence[R | Exception] = [RuntimeError("The thread that did this for others was stopped.")] * len(going)
        try:
            outcomes = self._go([wanted.item for wanted in going])
        except Exception as error:
            outcomes = [error] * len(going)
        finally:
            with self._lock:
                following = self._waiting.pop(0) if self._waiting else None
                self._under_way = following is not None
            for wanted, outcome in zip(going[1:], outcomes[1:], strict=True):
                wanted.outcome = (outcome,)
                wanted.turn.set()
            if following is not None:
                following.turn.set()
        return outcomes[0]
