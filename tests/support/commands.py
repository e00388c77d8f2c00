"""The command line, run in this process on a test's own database and broker."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from workers.app import fleet_models
from workers.app.in_process import run_all
from workers.blackboard.engine import Database
from workers.cli import context
from workers.cli.main import app

NOWHERE_REDIS = "redis://:brokersecret@127.0.0.1:1/0"
NOWHERE_POSTGRES = "postgresql://someone:dbsecret@127.0.0.1:1/nowhere"


class Commands:
    """Runs commands as a shell would, without starting programs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: str | None = None) -> Result:
        """Run a command; exit code, stdout and stderr."""
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)

    def out(self, *arguments: object, code: int = 0, stdin: str | None = None) -> str:
        """What a command prints; it must end with this exit code."""
        result = self(*arguments, stdin=stdin)
        assert result.exit_code == code, (arguments, result.exit_code, result.stdout, result.stderr, result.exception)
        return result.stdout

    def json(self, *arguments: object, code: int = 0) -> Any:
        """The value that a command prints with --json."""
        return json.loads(self.out(*arguments, "--json", code=code))

    def fails(self, *arguments: object, code: int, stdin: str | None = None) -> str:
        """The error of a command that must fail with this exit code: on stderr, and nothing on stdout."""
        result = self(*arguments, stdin=stdin)
        assert (result.exit_code, result.stdout) == (code, ""), (result.exit_code, result.stdout, result.stderr, result.exception)
        return " ".join(result.stderr.replace("│", " ").split())

    def setenv(self, **variables: str) -> None:
        """Change the environment (`database_url=...`), as for a new process."""
        for name, value in variables.items():
            self._monkeypatch.setenv(f"BULLPEN_{name.upper()}", value)
        context.forget()

    def submit(self, *arguments: object, kind: str = "noop") -> UUID:
        """Submit a job, and bring nothing forward yet."""
        return UUID(self.out("submit", kind, *arguments).strip())

    def ran(self, *arguments: object, kind: str = "noop") -> UUID:
        """Submit a job and run it until it stops by itself."""
        job_id = self.submit(*arguments, kind=kind)
        self.run_all()
        return job_id

    def run_all(self) -> None:
        """Run everything that is queued."""
        run_all(context.services())

    @property
    def db(self) -> Database:
        """The test's database."""
        return context.database()


@contextmanager
def commands_on(database_url: str, broker_url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    """Commands whose environment names these servers."""
    monkeypatch.setattr(fleet_models, "PING_S", 0.1)
    commands = Commands(monkeypatch)
    commands.setenv(
        database_url=database_url, broker_url=broker_url, home=str(home), extensions="tests.support.noop", embeddings="none",
        retry_base_s="0.01", retry_max_s="0.02",
    )  # fmt: skip
    yield commands
    context.forget()
