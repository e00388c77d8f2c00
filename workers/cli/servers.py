"""The services of one command: they send what it changed without waiting for a broker that is away. Celery is loaded only where the one
message of a command has no shorter way."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import UUID

from workers.app.command_messages import Command
from workers.app.outbox import Outbox
from workers.app.publish_one import send_one
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.coordinator.advance import QueuedStep
from workers.settings import Settings

if TYPE_CHECKING:
    from celery import Celery

    from workers.app.publish import Publisher

BRIEF_RETRIES = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.2}


class CommandOutbox(Outbox):
    """Counts the messages that the broker did not take, so that a command can say so."""

    lost = 0

    def __init__(self, services: "CliServices") -> None:
        super().__init__()
        self._services = services
        known = services.settings
        self._is_plain = not (known.otel or known.celery_events)
        """Nobody hears of what Celery sends."""

    def run_steps(self, steps: Iterable[QueuedStep]) -> int:
        """See `Outbox`."""
        waiting = list(steps)
        sent = super().run_steps(waiting)
        self.lost += len(waiting) - sent
        return sent

    def advance(self, job_id: UUID, priority: int = 5) -> bool:
        """See `Outbox`."""
        sent = super().advance(job_id, priority)
        self.lost += not sent
        return sent

    def publish(self, commands: list[Command], *, after: Exception | None = None) -> None:
        """See `Outbox`: straight into the queue, and by Celery what does not go there."""
        if self._is_plain and after is None and len(commands) == 1 and send_one(self._services.settings.broker_url or "", commands[0]):
            return
        self._by_celery.publish(commands, after=after)

    @cached_property
    def _by_celery(self) -> "Publisher":
        from workers.app.publish import Publisher

        return Publisher(self._services.celery)


class CliServices(ProcessServices):
    """A process's services, for one command."""

    def __init__(self, settings: Settings, database: Database) -> None:
        super().__init__(settings)
        self._known_database = database

    @property
    def database(self) -> Database:
        """The command's own."""
        return self._known_database

    @cached_property
    def celery(self) -> "Celery":
        """The Celery app, which does not wait long for a broker that is away."""
        from workers.app.celery_app import create_app

        app = create_app(self.settings)
        app.conf.broker_transport_options = {**app.conf.broker_transport_options, **BRIEF_RETRIES}
        return app

    def may_have_model(self) -> bool:
        """A command is no process of the fleet: what its workers answer counts. Where none answers, the one that takes the job decides."""
        from workers.app.fleet_models import fleet_models

        models = fleet_models(self.celery)
        return models is None or bool(models)

    @cached_property
    def publisher(self) -> CommandOutbox:
        """Sends commands, and remembers what was lost."""
        return CommandOutbox(self)

    def set_going(self, job_id: UUID) -> bool:
        """After a change of a job, let the boss look at it. False: the broker lost a message, and the sweep sees to it."""
        from workers.app.run_step import move_on

        lost = self.publisher.lost
        move_on(self, job_id)
        return self.publisher.lost == lost
