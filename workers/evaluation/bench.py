"""The environment of an evaluation: an embedded Postgres with a blackboard, and a fleet in one process. It is removed at the end."""

import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from contracts.base import Json
from contracts.jobs import EngineChoice, SubmitJob
from contracts.roles import RoleName
from contracts.statements import read_stored
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row
from workers.blackboard.schema import migrate
from workers.coordinator.actions import answer
from workers.coordinator.intake import accept
from workers.errors import ConfigurationError, InvalidInput
from workers.kinds.base import FinishedJob
from workers.llm import Embedder, Models, load_embedder
from workers.llm.client import ChatClient
from workers.llm.scripted import Script, ScriptedChat
from workers.local.postgres import EmbeddedPostgres
from workers.reading.results import read_results
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.settings import Settings

Progress = Callable[[str, int], Any]
"""Shows progress: takes the name of the work and the number of its parts, and returns a context manager."""


class ScriptedModels:
    """A script in the place of the models of a process."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def chat(self, step: object) -> ScriptedChat:
        """The chat of a step."""
        del step
        return ScriptedChat(by=self._script)

    def close(self) -> None:
        """Nothing is open."""


class EmbeddedBench:
    """See `workers.kinds.base.Bench`. Servers start on first use."""

    def __init__(self, settings: Settings, stack: ExitStack, show_progress: Progress, warn: Callable[[str], None]) -> None:
        self._settings = settings
        self._stack = stack
        self._show_progress = show_progress
        self._warn = warn
        self._is_scripted = False

    @property
    def settings(self) -> Settings:
        """The deployment's settings, with the servers of this evaluation."""
        return self._services.settings

    def change_settings(self, **changed: object) -> None:
        """Other settings than the deployment's. Raises `InvalidInput` once the servers have started."""
        if "_services" in self.__dict__:
            raise InvalidInput("The servers of this evaluation have started with the settings that they have.")
        self._settings = self._settings.model_copy(update=changed)

    def script_model(self, script: Script) -> None:
        """Steps of jobs ask this script in the place of a model."""
        self._is_scripted = True
        vars(self._services)["models"] = ScriptedModels(script)

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model of the deployment."""
        return self._embedder

    @cached_property
    def _embedder(self) -> Embedder | None:
        return load_embedder(self._settings)

    @property
    def database(self) -> Database:
        """The blackboard."""
        return self._services.database

    @cached_property
    def _folder(self) -> Path:
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory()))

    @cached_property
    def _server(self) -> EmbeddedPostgres:
        return self._stack.enter_context(EmbeddedPostgres(self._folder / "postgres", durable=False))  # nothing of it outlives the block

    @cached_property
    def _services(self) -> ProcessServices:
        services = self._open(self._server.url)
        migrate(services.database)
        return services

    def _open(self, database_url: str) -> ProcessServices:
        own = {
            "database_url": database_url,
            "broker_url": "memory://",
            "advance": "inline",
            "home": self._folder / "home",
            "artefact_store": str(self._folder / "artefacts"),
        }
        return self._stack.enter_context(closing(ProcessServices(self._settings.model_copy(update=own))))

    def empty_database(self, name: str) -> Database:
        """A migrated, empty database."""
        with psycopg.connect(self._server.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        database = self._stack.enter_context(closing(Database(self._server.url.rsplit("/", 1)[0] + "/" + name)))
        migrate(database)
        return database

    def run_job(self, request: Json, engine: EngineChoice, *, session_id: UUID | None = None) -> FinishedJob:
        """Submit a job and run it until no work is left."""
        began = time.perf_counter()
        has_model = self._settings.has_model or self._is_scripted
        submission = SubmitJob(job=request, engine=engine, session_id=session_id)
        job_id = accept(self.database, submission, owner_cap=1, has_model=has_model).job_id
        run_all(self._services)
        return self._ended(job_id, round((time.perf_counter() - began) * 1000))

    def go_on(self, job_id: UUID) -> FinishedJob:
        """Continue a job after an answer."""
        began = time.perf_counter()
        run_all(self._services)
        return self._ended(job_id, round((time.perf_counter() - began) * 1000))

    def answer(self, job_id: UUID, text: str) -> FinishedJob:
        """Answer the open question of a job, and continue it."""
        answer(self.database, job_id, text)
        return self.go_on(job_id)

    def steps(self, job_id: UUID) -> list[Row]:
        """The steps of a job in the order of their dispatch: stage, role, status, outcome, attempt, summary."""
        return self.database.statement(
            "SELECT stage, role, status, outcome, attempt, summary FROM steps WHERE job_id = %(id)s ORDER BY id", {"id": job_id}
        )

    def _ended(self, job_id: UUID, took_ms: int) -> FinishedJob:
        board = read_board(self.database, job_id)
        job = self.database.row("SELECT error FROM jobs WHERE id = %(id)s", {"id": job_id}) or {"error": "The job is gone."}
        error = None if job["error"] is None else text_of(read_stored(job["error"]), DEFAULT_LANGUAGE)
        result = read_results(self.database, [board]).get(job_id)
        return FinishedJob(job_id, board.status, error, None if result is None else result.content, took_ms)

    def open_chat(self, role: RoleName, database: Database) -> ChatClient:
        """A conversation with the model of a role that belongs to no job. Its rate limit is kept in `database`."""
        if self._settings.model_of(role) is None:
            raise ConfigurationError("`--engine llm` needs a model. Set BULLPEN_MODEL (docs/models.md), or leave the option out.")
        return self._stack.enter_context(closing(Models(self._settings, lambda: database))).without_job(role)

    def warn(self, text: str) -> None:
        """Show a message that is not part of the result."""
        self._warn(text)

    def progress(self, what: str, total: int) -> Any:
        """Show the progress of a piece of work."""
        return self._show_progress(what, total)


@contextmanager
def embedded_bench(settings: Settings, show_progress: Progress, warn: Callable[[str], None]) -> Generator[EmbeddedBench]:
    """A bench whose servers stop when the block ends. Raises `ConfigurationError` on first use if the packages for it are missing."""
    with ExitStack() as stack:
        yield EmbeddedBench(settings, stack, show_progress, warn)
