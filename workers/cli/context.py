"""What every command shares: settings, services, the two consoles, ids as people type them, and errors as one line."""

import json
import logging
import re
import sys
import traceback
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID

import typer
from celery import Celery
from typer.exceptions import TyperException

from contracts.base import Json
from contracts.wire import NotJson, read_json
from workers.app.celery_app import create_app
from workers.app.publish import Publisher
from workers.app.queues import transport_options
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database, Row
from workers.cli.display import SafeConsole, json_safe, shown
from workers.coordinator.advance import QueuedStep
from workers.errors import BullpenError, ConfigurationError, Conflict, InvalidInput, NotFound, Unavailable
from workers.kinds.registry import load_kinds
from workers.saying import message_of
from workers.settings import Settings, load_settings
from workers.telemetry import configure_logging, redact_url

PIPED_WIDTH = 160
"""Columns of a table that does not go to a terminal."""

console = SafeConsole(highlight=False, emoji=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
errors = SafeConsole(highlight=False, emoji=False, stderr=True, width=None if sys.stderr.isatty() else PIPED_WIDTH)

BRIEF_RETRIES = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.2}

EXIT_CODES: tuple[tuple[type[BullpenError], int], ...] = ((InvalidInput, 2), (NotFound, 4), (Conflict, 5), (Unavailable, 6))
"""Of an error and its subclasses; others are 1. Stands in `bullpen --help`."""

_IDS: dict[str, LiteralString] = {
    "job": "SELECT id, kind || ', ' || status AS about FROM jobs WHERE replace(id::text, '-', '') LIKE ANY (%(like)s) "
    "ORDER BY id DESC LIMIT 11",
    "step": "SELECT id, stage || ', ' || status AS about FROM steps WHERE replace(id::text, '-', '') LIKE ANY (%(like)s) "
    "ORDER BY id DESC LIMIT 11",
    "quarantine entry": "SELECT id, cause || ', ' || state AS about FROM quarantine WHERE replace(id::text, '-', '') LIKE ANY (%(like)s) "
    "ORDER BY id DESC LIMIT 11",
}
_LISTED_BY = {"job": "bullpen jobs", "step": "bullpen show JOB", "quarantine entry": "bullpen quarantine list"}


class TellingPublisher(Publisher):
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
    """A process's services, for one command: a small pool, and a database that is away is reported at once."""

    @cached_property
    def _database(self) -> Database:
        return Database(self.settings.database_url or "", pool_size=2, name="bullpen-cli", reconnect_s=0.0)

    @cached_property
    def celery(self) -> Celery:
        """The Celery app, which does not wait long for a broker that is away."""
        app = create_app(self.settings)
        app.conf.broker_transport_options = {**transport_options(self.settings.broker_url or ""), **BRIEF_RETRIES}
        return app

    @cached_property
    def publisher(self) -> TellingPublisher:
        """Sends commands, and remembers what was lost."""
        return TellingPublisher(self.celery)


@cache
def settings() -> Settings:
    """The settings, with the servers of `bullpen up` where none are set. Raises `ConfigurationError` when there are none."""
    read = load_settings()
    if read.database_url is not None and read.broker_url is not None:
        return read
    missing = [f"BULLPEN_{name.upper()}" for name in ("database_url", "broker_url") if getattr(read, name) is None]
    found = _read_addresses(read.data_dir / "addresses.json")
    if found is None:
        raise ConfigurationError(
            f"No servers: {' and '.join(missing)} not set, and no fleet runs here. Start one with `bullpen up`, or set the variables."
        )
    return read.model_copy(
        update={"database_url": read.database_url or found["database_url"], "broker_url": read.broker_url or found["broker_url"]}
    )


def _read_addresses(path: Path) -> dict[str, str] | None:
    """What a running `bullpen up` wrote down; None without a usable file."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(value[name]) for name in ("database_url", "broker_url")}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}). Run as the user of `bullpen up`, start it again, or set "
            "BULLPEN_DATABASE_URL and BULLPEN_BROKER_URL."
        ) from None


@cache
def services() -> CliServices:
    """The services of this process, kinds of jobs loaded. Connects to nothing yet."""
    load_kinds(settings().extensions)
    return CliServices(settings())


def database() -> Database:
    """The blackboard's database."""
    return services().database


def forget() -> None:
    """Drop what is kept: for tests, which change the environment."""
    if services.cache_info().currsize:
        services().close()
    for kept in (services, settings, load_settings):
        kept.cache_clear()


def set_going(job_id: UUID) -> None:
    """After a change of a job, let the boss look at it. A broker that is away is only a warning: the sweep sees to it."""
    publisher = services().publisher
    lost = publisher.lost
    move_on(services(), job_id)
    if publisher.lost > lost:
        warn("The broker does not answer. What you did is kept; the job goes on within seconds of its return.")


def warn(text: str) -> None:
    """A line on stderr that is no failure."""
    errors.print(f"[yellow]Warning:[/] {shown(text)}", soft_wrap=True)


def print_json(value: Any, *, one_line: bool = False) -> None:
    """Plain JSON on stdout; ids and dates as text."""
    text = json.dumps(value, default=_as_text, ensure_ascii=False, indent=None if one_line else 2, allow_nan=False)
    sys.stdout.write(json_safe(text) + "\n")
    if one_line:
        sys.stdout.flush()


def _as_text(value: object) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def job_id(text: str) -> UUID:
    """The job that an id, or its beginning or end, names."""
    return find_id(text, "job")


def find_id(text: str, *things: str) -> UUID:
    """The id of a `job`, `step` or `quarantine entry`, given whole, or by six or more characters of its beginning or end.
    A whole id is not looked up. Raises `InvalidInput`, also when several fit, or `NotFound`."""
    known = " or ".join(things)
    plain = text.strip().lower().replace("-", "")
    if not re.fullmatch(r"[0-9a-f]{6,32}", plain):
        raise InvalidInput(f"{text[:80]!r} is no id of a {known}: give it whole, or 6 or more characters of its beginning or end.")
    if len(plain) == 32:
        return UUID(plain)
    found: list[Row] = []
    for thing in things:
        found += database().statement(_IDS[thing], {"like": [f"{plain}%", f"%{plain}"]})
    if len(found) == 1:
        return found[0]["id"]
    if not found:
        raise NotFound(f"There is no {known} whose id begins or ends with {text}. See `{_LISTED_BY[things[0]]}`.")
    listed = "\n".join(f"  {row['id']} ({row['about']})" for row in found[:10])
    raise InvalidInput(f"{text} fits {'more than 10' if len(found) > 10 else len(found)} ids of a {known}. Give more of it:\n{listed}")


def read_object(path: str) -> Json:
    """The JSON object in a file, or with `-` on standard input. Raises `InvalidInput` with the place of the fault."""
    try:
        body = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
        value = read_json(body.removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror or error}.") from None
    except NotJson as error:
        raise InvalidInput(f"{'Standard input' if path == '-' else path}: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{'Standard input' if path == '-' else path} must hold a JSON object {{...}}.")
    return value  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type


def exit_code(error: BullpenError) -> int:
    """What the program ends with."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


@contextmanager
def answered_errors() -> Generator[None]:
    """Turn an error into one clear line on stderr and its exit code."""
    try:
        yield
    except (typer.Exit, typer.Abort, TyperException, BrokenPipeError, EOFError):
        raise  # typer ends these well
    except BullpenError as error:
        errors.print(f"[bold red]Error:[/] {shown(redact_url(message_of(error)))}", soft_wrap=True)
        _trace()
        raise typer.Exit(exit_code(error)) from None
    except Exception as error:
        what = redact_url(" ".join(str(error).split()))[:500]
        hint = "" if _debugging() else " BULLPEN_LOG_LEVEL=debug shows where."
        errors.print(f"[bold red]Unexpected error:[/] {shown(type(error).__name__)}: {shown(what)}{hint}", soft_wrap=True)
        _trace()
        raise typer.Exit(1) from None


def _debugging() -> bool:
    try:
        return load_settings().log_level == "debug"
    except ConfigurationError:
        return False


def _trace() -> None:
    if _debugging():
        errors.print(shown(redact_url(traceback.format_exc())), soft_wrap=True)


def log_to_terminal() -> None:
    """Warnings only, for a reader, on stderr; what commands say themselves is not logged as well."""
    level = load_settings().log_level
    configure_logging("console", level if level in ("debug", "error") else "warning")
    if level != "debug":
        for told in ("workers.app.publish", "workers.app.sweep", "workers.blackboard.quarantine", "kombu", "celery"):
            logging.getLogger(told).setLevel(logging.ERROR)
