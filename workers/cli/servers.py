"""The services of one command: broker and publisher, which do not wait for a broker that is away. Importing this loads Celery."""

from collections.abc import Iterable
from functools import cached_property
from uuid import UUID

from celery import Celery

from workers.app.celery_app import create_app
from workers.app.publish import Publisher
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.coordinator.advance import QueuedStep
from workers.settings import Settings

BRIEF_RETRIES = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.2}


class CountingPublisher(Publisher):
    """Counts the messages that the broker did not take, so that a command can say so."""

    lost = 0

    def run_steps(self, steps: Iterable[QueuedStep]) -> int:
        """See `Publisher`."""
        waiting = list(steps)
        sent = super().run_steps(waiting)
        self.lost += len(waiting) - sent
        return sent

    def advance(self, job_id: UUID, priority: int = 5) -> bool:
        """See `Publisher`."""
        sent = super().advance(job_id, priority)
        self.lost += not sent
        return sent


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
    def celery(self) -> Celery:
        """The Celery app, which does not wait long for a broker that is away."""
        app = create_app(self.settings)
        app.conf.broker_transport_options = {**app.conf.broker_transport_options, **BRIEF_RETRIES}
        return app

    @cached_property
    def publisher(self) -> CountingPublisher:
        """Sends commands, and remembers what was lost."""
        return CountingPublisher(self.celery)

    def set_going(self, job_id: UUID) -> bool:
        """After a change of a job, let the boss look at it. False: the broker lost a message, and the sweep sees to it."""
        lost = self.publisher.lost
        move_on(self, job_id)
        return self.publisher.lost == lost
