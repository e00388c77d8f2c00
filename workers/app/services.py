"""What a process shares between its tasks: settings, database, publisher, leases; each made on first use."""

import os
import socket
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from workers.app.leases import LeaseKeeper
from workers.app.rounds import Rounds
from workers.blackboard.answers import Lane
from workers.blackboard.engine import Database
from workers.blackboard.live import Live
from workers.blackboard.notify import Notifier
from workers.blackboard.shared_statements import SharedStatements
from workers.blackboard.steps import Claim
from workers.coordinator.advance import StepLimits
from workers.errors import ConfigurationError
from workers.settings import FromEnvironment, Settings, read_settings

if TYPE_CHECKING:
    from celery import Celery
    from redis import Redis

    from workers.app.outbox import Outbox
    from workers.app.put_off import PutOff
    from workers.llm.embedder import Embedder
    from workers.llm.models import Models
    from workers.sources import Sources

ANSWER_S = 10.0
"""A Redis that does not answer a command for so long is away."""

S = TypeVar("S", bound=FromEnvironment)


class ProcessServices:
    """One of these a process. Made before a fork it holds no connection, so a child may use it."""

    def __init__(self, settings: Settings, *, slots: int = 1, on_stuck: Callable[[], None] = lambda: None) -> None:
        """`on_stuck`: how the process leaves when half of its slots are stuck; one that holds no steps never is."""
        self._on_stuck = on_stuck
        self.settings = settings
        self._settings_of: dict[type[FromEnvironment], Any] = {}
        self.slots = slots
        self.worker_name = f"{socket.gethostname()}:{os.getpid()}"
        self.answers_wait: dict[Lane, threading.Event] = {"broker": threading.Event(), "web": threading.Event()}
        """Set when this process keeps an answer: its senders need not wait for their next look."""
        self.alone = threading.Lock()
        """Held for the one step of this process that has lost a process before. If it is the cause, it is so for no other such step."""
        self.begun: dict[UUID, Claim] = {}
        """Steps that a slot of this process has claimed and takes next, by their ids."""
        self.limits = StepLimits(max_attempts=settings.max_attempts, timeout_s=settings.step_timeout_s)

    @property
    def database(self) -> Database:
        """The blackboard's database."""
        return self._database

    @cached_property
    def _database(self) -> Database:
        if self.settings.database_url is None:
            raise ConfigurationError("No database. Set BULLPEN_DATABASE_URL, or start one with `bullpen up`.")
        return Database(self.settings.database_url, pool_size=min(max(2, self.slots), 10))

    @cached_property
    def celery(self) -> "Celery":
        """The Celery app of this process."""
        from workers.app.celery_app import create_app  # Celery is a third of what a command imports that only reads

        return create_app(self.settings)

    def may_have_model(self) -> bool:
        """Whether this process, or a worker that answers within a second, has a model: a gateway may be started without its settings."""
        from workers.app.fleet_models import fleet_models

        return self.settings.has_model or bool(fleet_models(self.celery))

    @cached_property
    def publisher(self) -> "Outbox":
        """Sends commands."""
        from workers.app.publish import Publisher

        return Publisher(self.celery)

    @cached_property
    def put_off(self) -> "PutOff":
        """Where commands of a newer version wait."""
        from workers.app.put_off import PutOff

        return PutOff(self.celery)

    @cached_property
    def redis(self) -> "Redis":
        """A client of the Redis broker, for the fleet's own streams."""
        from workers.app.redis_alone import Redis

        return Redis.from_url(
            self.settings.broker_url or "", protocol=2, socket_timeout=ANSWER_S, socket_connect_timeout=5, health_check_interval=25
        )  # fmt: skip

    def forget_redis(self) -> None:
        """Let the next command to the broker connect again: after a failover the address leads to another server, while the old one may
        still answer."""
        if "redis" in vars(self):
            self.redis.connection_pool.disconnect(inuse_connections=False)

    @cached_property
    def notifier(self) -> Notifier:
        """Tells listeners which jobs changed."""
        return Notifier(self.database)

    @cached_property
    def live(self) -> Live:
        """Tells those who watch a job what happens inside its steps."""
        return Live(lambda: self.database)

    @cached_property
    def leases(self) -> LeaseKeeper:
        """Renews what this process holds."""
        return LeaseKeeper(self.database, lease_s=self.settings.lease_s, slots=self.slots, on_stuck=self._on_stuck)

    @cached_property
    def claims(self) -> SharedStatements:
        """Claims of steps, those of several slots together. They do not wait for the disk."""
        return SharedStatements(self.database, order="step_id")

    @cached_property
    def reports(self) -> SharedStatements:
        """Reports of steps, and what the boss makes of them, those of several slots together."""
        return SharedStatements(self.database, order="job_id")

    @cached_property
    def rounds(self) -> Rounds:
        """Advances jobs, those of several threads together."""
        return Rounds(self.database, self.limits, is_shared=self.slots > 1)

    def settings_of(self, form: type[S]) -> S:
        """The settings of one kind of job, read once a process."""
        return self._settings_of.setdefault(form, read_settings(form))

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model, loaded on first use; None: the deployment has none."""
        return self._embedder

    @cached_property
    def _embedder(self) -> "Embedder | None":
        from workers.llm.embeddings import load_embedder

        return load_embedder(self.settings)

    @property
    def sources(self) -> "Sources":
        """The one way to run a statement on a user's database."""
        return self._sources

    @cached_property
    def _sources(self) -> "Sources":
        from workers.sources import Sources

        return Sources(self.database, self.settings.data_dir)

    @cached_property
    def models(self) -> "Models":
        """The models that steps may ask."""
        from workers.llm.models import Models

        return Models(self.settings, lambda: self.database)

    def close(self) -> None:
        """Close what was opened; the process may then end, or a test go on."""
        if "models" in vars(self):
            self.models.close()
        if "live" in vars(self):
            self.live.close()
        if "notifier" in vars(self):
            self.notifier.close()
        if "_database" in vars(self):
            self._database.close()
