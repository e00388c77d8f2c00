"""Messages leave here, after a commit. A message that gets lost is made again from the rows, so errors are logged, not raised."""

import time
from collections.abc import Iterable
from uuid import UUID

import structlog
from celery import Celery

from contracts.commands import AdvanceJob, RunStep
from contracts.roles import COORDINATOR, queue_name, task_name
from workers.app.queues import message_priority
from workers.coordinator.advance import QueuedStep
from workers.failpoints import failpoint

log = structlog.get_logger()


class Publisher:
    """Sends commands. Safe to share between threads."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._broker_url = str(app.conf.broker_url)

    def run_steps(self, steps: Iterable[QueuedStep], *, attempt: int = 1) -> int:
        """Tell the roles' workers of queued steps; how many messages left."""
        failpoint("before_publish")
        sent = 0
        for step in steps:
            command = RunStep(job_id=step.job_id, step_id=step.id, stage=step.stage, attempt=attempt, at=time.time())
            shown = f"job={step.job_id} stage={step.stage} attempt={attempt}"
            sent += self._send(step.role, command, step.priority, shown)
        return sent

    def advance(self, job_id: UUID, priority: int = 5) -> bool:
        """Ask a coordinator to look at a job. False: the broker did not take it; the sweeper will see to it."""
        return self._send(COORDINATOR, AdvanceJob(job_id=job_id, at=time.time()), priority, f"job={job_id}")

    def _send(self, role: str, command: RunStep | AdvanceJob, priority: int, shown: str) -> bool:
        if failpoint("drop_publish"):
            return False
        copies = 2 if failpoint("double_publish") else 1
        try:
            for _ in range(copies):
                self._app.send_task(
                    task_name(role),
                    args=(command.to_json(),),
                    queue=queue_name(role),
                    priority=message_priority(self._broker_url, priority),
                    ignore_result=True,
                    argsrepr=shown,
                    kwargsrepr="",
                )
        except Exception as error:  # whatever a broker client raises: the rows are the outbox
            log.warning("publish_failed", role=role, error=type(error).__name__, reason=str(error)[:200])
            return False
        return True
