"""Messages leave here, after a commit. A message that gets lost is made again from the rows, so errors are logged, not raised."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Protocol
from uuid import UUID

from contracts.commands import AdvanceJob, RunStep
from contracts.roles import COORDINATOR
from workers.app.command_messages import Command
from workers.coordinator.advance import QueuedStep
from workers.failpoints import failpoint
from workers.loggers import get_logger

log = get_logger(__name__)


class Follower(Protocol):
    """Runs a command in the slot that it is called from, next."""

    def can(self) -> bool:
        """Whether this slot is free for it."""
        ...

    def takes(self, role: str, priority: int, *, after: str) -> bool:
        """Whether it may be a command to this role, of a job of this priority. `after`: the role of the slot's last step."""
        ...

    def follow(self, command: Command) -> None:
        """Once it can, it does."""
        ...


class Outbox(ABC):
    """Sends commands. Safe to share between threads."""

    def __init__(self) -> None:
        self.sent_events: Any = None
        """Where `task-sent` events go; None: out at once, after their message, if the settings say so. A worker puts its batch here."""
        self.follower: Follower | None = None
        """Of a worker whose slots read their queue themselves."""

    def run_steps(self, steps: Iterable[QueuedStep]) -> int:
        """Tell the roles' workers of queued steps; how many messages left."""
        failpoint("before_publish")
        now = time.time()
        return self._send([run_command(step, now) for step in steps])

    def free_follower(self) -> Follower | None:
        """Who would run a step here and now, in place of a message. None where somebody listens to messages being sent."""
        return self.follower if self.follower is not None and self.follower.can() else None

    def advance(self, job_id: UUID, priority: int = 5) -> bool:
        """Ask a coordinator to look at a job. False: the broker did not take it; the sweeper will see to it."""
        return self._send([(COORDINATOR, AdvanceJob(job_id=job_id, at=time.time()), priority, f"job={job_id}")]) == 1

    def advance_many(self, jobs: Iterable[tuple[UUID, int]]) -> bool:
        """The same for many: each job with its priority."""
        now = time.time()
        commands: list[Command] = [(COORDINATOR, AdvanceJob(job_id=job_id, at=now), priority, f"job={job_id}") for job_id, priority in jobs]
        return self._send(commands) == len(commands)

    def _send(self, commands: list[Command]) -> int:
        """Send them together; how many left. What a lost connection leaves in doubt is sent once more, one by one: a
        second message for a step that was claimed is dropped."""
        commands = [command for command in commands if not failpoint("drop_publish")]
        copies = 3 if failpoint("triple_publish") else 2 if failpoint("double_publish") else 1
        if not commands:
            return 0
        try:
            try:
                self.publish(commands * copies)
            except Exception as error:  # each transport raises its own
                self.publish(commands, after=error)
        except Exception as error:  # any error of a broker client: the rows are the outbox
            roles = sorted({role for role, *_ in commands})
            log.warning("publish_failed", roles=roles, count=len(commands), error=type(error).__name__, reason=str(error)[:200])
            return 0
        return len(commands)

    @abstractmethod
    def publish(self, commands: list[Command], *, after: Exception | None = None) -> None:
        """Send them. `after`: what the first try ended with. Raises what the transport raises."""


def run_command(step: QueuedStep, now: float) -> Command:
    """The message that tells a role of a step."""
    command = RunStep(job_id=step.job_id, step_id=step.id, stage=step.stage, attempt=step.attempt, at=now)
    return step.role, command, step.priority, f"job={step.job_id} stage={step.stage} attempt={step.attempt}"
