"""Threads of one process that advance jobs at the same time do it in one round."""

import time
from uuid import UUID

from workers.blackboard.engine import Database
from workers.blackboard.together import Together
from workers.coordinator.advance import Advanced, StepLimits, advance
from workers.coordinator.advance_many import advance_many

SOON_S = 0.01
"""After a round with another job, more jobs are likely to come within this time: the coordinator is busy."""
WAIT_S = 0.003
"""For these. The jobs of one round share two round trips and a commit; a job that has the coordinator to itself never waits."""


class Rounds:
    """One of these a process. Safe to share between threads."""

    def __init__(self, db: Database, limits: StepLimits, *, is_shared: bool = True) -> None:
        """`is_shared`: whether several threads advance jobs."""
        self._is_shared = is_shared
        self._db = db
        self._limits = limits
        self._together = Together[UUID, Advanced](self._go, self._wait_s)
        self._last: tuple[set[UUID], float] = (set(), 0.0)
        """The jobs of the last round, and its end (monotonic seconds)."""

    def advance(self, job_id: UUID) -> Advanced:
        """As `advance`. When two threads want the same job in one round, one of them is given what was queued."""
        return self._together.do(job_id)

    def _wait_s(self, job_id: UUID) -> float:
        jobs, ended = self._last
        return WAIT_S if self._is_shared and jobs != {job_id} and time.monotonic() - ended < SOON_S else 0.0

    def _go(self, job_ids: list[UUID]) -> list[Advanced | Exception]:
        try:
            return self._round(job_ids)
        finally:
            self._last = (set(job_ids), time.monotonic())

    def _round(self, job_ids: list[UUID]) -> list[Advanced | Exception]:
        if len(job_ids) == 1:
            return [advance(self._db, job_ids[0], self._limits)]
        done = advance_many(self._db, set(job_ids), self._limits)
        return [done.pop(job_id, Advanced(None)) for job_id in job_ids]
