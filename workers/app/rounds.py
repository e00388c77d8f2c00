"""Threads of one process that advance jobs at the same time go together: one of them does a round for all that came meanwhile.

Nobody waits for company: who comes alone goes alone, at once. Who comes while a round is on its way goes with the next one.
"""

import threading
from uuid import UUID

from workers.blackboard.engine import Database
from workers.coordinator.advance import Advanced, StepLimits, advance
from workers.coordinator.advance_many import advance_many

MOST = 16
"""Jobs of one round: their rows are locked together."""


class _Wanted:
    """A job that a thread wants advanced."""

    __slots__ = ("job_id", "outcome", "turn")

    def __init__(self, job_id: UUID) -> None:
        self.job_id = job_id
        self.turn = threading.Event()
        """Set when the outcome is there, or without one when its thread is to do the next round."""
        self.outcome: Advanced | Exception | None = None


class Rounds:
    """One of these a process. Safe to share between threads."""

    def __init__(self, db: Database, limits: StepLimits) -> None:
        self._db = db
        self._limits = limits
        self._lock = threading.Lock()
        self._waiting: list[_Wanted] = []
        self._under_way = False

    def advance(self, job_id: UUID) -> Advanced:
        """As `advance`. When two threads want the same job in one round, one of them is given what was queued."""
        mine = _Wanted(job_id)
        with self._lock:
            leads = not self._under_way
            self._under_way = True
            if not leads:
                self._waiting.append(mine)
        if not leads:
            mine.turn.wait()
        outcome = mine.outcome or self._lead(mine)
        if isinstance(outcome, Advanced):
            return outcome
        raise outcome

    def _lead(self, mine: _Wanted) -> Advanced | Exception:
        """Do a round, and hand the next one to a thread that waits for it."""
        with self._lock:
            going = [mine, *self._waiting[: MOST - 1]]
            del self._waiting[: MOST - 1]
        outcomes: list[Advanced | Exception] = [RuntimeError("The thread that advanced this job was stopped.")] * len(going)
        try:
            outcomes = self._go([wanted.job_id for wanted in going])
        except Exception as error:
            outcomes = [error] * len(going)
        finally:
            with self._lock:
                following = self._waiting.pop(0) if self._waiting else None
                self._under_way = following is not None
            for wanted, outcome in zip(going[1:], outcomes[1:], strict=True):
                wanted.outcome = outcome
                wanted.turn.set()
            if following is not None:
                following.turn.set()
        return outcomes[0]

    def _go(self, job_ids: list[UUID]) -> list[Advanced | Exception]:
        if len(job_ids) == 1:
            return [advance(self._db, job_ids[0], self._limits)]
        done = advance_many(self._db, set(job_ids), self._limits)
        return [done.pop(job_id, Advanced(None)) for job_id in job_ids]
