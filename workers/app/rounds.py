"""Threads of one process that advance jobs at the same time do it in one round."""

from uuid import UUID

from workers.blackboard.engine import Database
from workers.blackboard.together import Together
from workers.coordinator.advance import Advanced, StepLimits, advance
from workers.coordinator.advance_many import advance_many


class Rounds:
    """One of these a process. Safe to share between threads."""

    def __init__(self, db: Database, limits: StepLimits) -> None:
        self._db = db
        self._limits = limits
        self._together = Together[UUID, Advanced](self._go)

    def advance(self, job_id: UUID) -> Advanced:
        """As `advance`. When two threads want the same job in one round, one of them is given what was queued."""
        return self._together.do(job_id)

    def _go(self, job_ids: list[UUID]) -> list[Advanced | Exception]:
        if len(job_ids) == 1:
            return [advance(self._db, job_ids[0], self._limits)]
        done = advance_many(self._db, set(job_ids), self._limits)
        return [done.pop(job_id, Advanced(None)) for job_id in job_ids]
