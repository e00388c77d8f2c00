"""What every command shares: settings, services, the two consoles, ids as people type them, and errors as one line."""

import getpass
import json
import logging
import os
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import typer
from typer.exceptions import TyperException

from contracts.base import Json
from contracts.statements import code as code_value
from contracts.statements import listing, passage, say
from contracts.statements import name as identifier
from contracts.wire import NotJson, read_json
from workers import saying
from workers.blackboard.engine import Database
from workers.cli.display import SafeConsole, json_safe, shown
from workers.cli.languages import ask_for, asked_language
from workers.cli.reach import remote
from workers.errors import BullpenError, ConfigurationError, Conflict, InvalidInput, NotFound, Unavailable
from workers.loggers import set_up_later
from workers.reading import names
from workers.reading.values import Value
from workers.secrets import redact_url, remember_url
from workers.settings import Settings, load_settings

if TYPE_CHECKING:
    from workers.cli.servers import CliServices
    from workers.cli.voice import Voice

PIPED_WIDTH = 160
"""Columns of a table that does not go to a terminal."""


def _width(is_terminal: bool) -> int | None:
    """None: that of the terminal, or of COLUMNS where somebody has set it."""
    return None if is_terminal or os.environ.get("COLUMNS", "").isdigit() else PIPED_WIDTH


console = SafeConsole(highlight=False, emoji=False, width=_width(sys.stdout.isatty()))
errors = SafeConsole(highlight=False, emoji=False, stderr=True, width=_width(sys.stderr.isatty()))


def write_elsewhere() -> None:
    """Look again at where the two consoles write: a fork of this process writes to a log, without colours."""
    for writer, is_stderr in ((console, False), (errors, True)):
        writer.__init__(highlight=False, emoji=False, stderr=is_stderr, width=_width((sys.stderr if is_stderr else sys.stdout).isatty()))


class NoServers(ConfigurationError):
    """No fleet runs here, and no servers are set."""


EXIT_CODES: tuple[tuple[type[BullpenError], int], ...] = ((NoServers, 6), (InvalidInput, 2), (NotFound, 4), (Conflict, 5), (Unavailable, 6))
"""Of an error and its subclasses; others are 1. `bullpen --help` lists them."""


class AtAGateway(InvalidInput):
    """A command needs the servers themselves, and there is only a gateway."""


@cache
def settings() -> Settings:
    """The settings, with the servers of `bullpen up` where none are set. Raises `ConfigurationError` when there are none, and
    `AtAGateway` when commands go through a gateway."""
    read = load_settings()
    if read.url:
        raise AtAGateway.of(say("refused.cli.at_a_gateway", url=identifier(redact_url(read.url))))
    if read.database_url is not None and read.broker_url is not None:
        return read
    missing = [f"BULLPEN_{name.upper()}" for name in ("database_url", "broker_url") if getattr(read, name) is None]
    found = _read_addresses(read.data_dir / "addresses.json")
    if found is None:
        raise NoServers.of(say("refused.cli.no_servers", missing=listing(*map(identifier, missing)), command=code_value("bullpen up")))
    return read.model_copy(
        update={"database_url": read.database_url or found["database_url"], "broker_url": read.broker_url or found["broker_url"]}
    )


def _read_addresses(path: Path) -> dict[str, str] | None:
    """What a running `bullpen up` wrote down; None without a usable file."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
        found = {name: str(value[name]) for name in ("database_url", "broker_url")}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}). Run as the user of `bullpen up`, start it again, or set "
            "BULLPEN_DATABASE_URL and BULLPEN_BROKER_URL."
        ) from None
    for url in found.values():
        remember_url(url)
    return found


@cache
def database() -> Database:
    """The blackboard's database: a small pool, and one that is away is reported at once. Connects to nothing yet."""
    return Database(settings().database_url or "", pool_size=2, name="bullpen-cli", reconnect_s=0.0)


@cache
def services() -> "CliServices":
    """The services of this process, with kinds of jobs loaded: for what changes something. Commands that only read do without them."""
    from workers.kinds.registry import load_kinds

    load_kinds(settings().extensions)
    return _services()


@cache
def services_for(kind: str) -> "CliServices":
    """The same for what concerns one kind of job: others are not loaded."""
    from workers.kinds.registry import load_kind

    load_kind(kind, settings().extensions)
    return _services()


@cache
def _services() -> "CliServices":
    from workers.cli.servers import CliServices

    return CliServices(settings(), database())


def forget() -> None:
    """Drop what is kept: for tests, which change the environment, and for a fork of this process, which gets another one."""
    if _services.cache_info().currsize:
        _services().close()
    if database.cache_info().currsize:
        database().close()
    remote.forget()
    for kept in (services, services_for, _services, database, settings, load_settings):
        kept.cache_clear()


def print_json(value: Any, *, one_line: bool = False) -> None:
    """Plain JSON on stdout; ids and dates as text."""
    text = json.dumps(value, default=_as_text, ensure_ascii=False, indent=None if one_line else 2, allow_nan=False)
    sys.stdout.write(json_safe(text) + "\n")
    if one_line:
        sys.stdout.flush()


def _as_text(value: object) -> Any:
    if isinstance(value, Value):
        return value.to_json()
    if isinstance(value, date):
        return value.isoformat()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def job_id(text: str) -> UUID:
    """The job that an id, or its beginning or end, names."""
    return find_id(text, "job")


def find_id(text: str, *things: str) -> UUID:
    """See `workers.reading.names`."""
    if (away := remote.gateway()) is None:
        return names.find_id(database(), text, *things)
    plain = names.typed_id(text, *things)
    if len(plain) == names.WHOLE:
        return UUID(plain)
    from bullpen_client.calls.jobs import find_id as named

    return UUID(away.send(named(text, things))["id"])


def read_object(given: str) -> Json:
    """The JSON object in a file, with `-` on standard input, or, if it begins with a brace, as it was typed. Raises `InvalidInput` with
    the place of the fault."""
    typed = given.lstrip().startswith("{")
    place = say("refused.cli.stdin") if given == "-" else say("refused.cli.typed") if typed else identifier(given)
    try:
        body = given.encode() if typed else sys.stdin.buffer.read() if given == "-" else Path(given).expanduser().read_bytes()
        value = read_json(body.removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise InvalidInput.of(
            say("refused.file.unreadable", file=identifier(given), reason=passage(error.strerror or str(error)))
        ) from None
    except NotJson as error:
        raise InvalidInput.of(say("refused.cli.no_json", place=place, reason=passage(str(error)))) from None
    if not isinstance(value, dict):
        raise InvalidInput.of(say("refused.cli.no_object", place=place, form=identifier("{...}")))
    return value  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type


def exit_code(error: BullpenError) -> int:
    """What the program ends with."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


@contextmanager
def answered_errors() -> Generator[None]:
    """Turn an error into one clear line on stderr, in the language of `--language`, and its exit code."""
    ask_for(None)
    try:
        yield
    except (typer.Exit, typer.Abort, TyperException, BrokenPipeError, EOFError):
        raise  # typer ends these well
    except BullpenError as error:
        voice = _voice()
        reason = shown(redact_url(saying.message_of(error, voice.language)))
        errors.print(f"[bold red]{voice.head(say('refused.label'))}[/]{reason}", soft_wrap=True)
        _trace()
        raise typer.Exit(exit_code(error)) from None
    except Exception as error:
        what = redact_url(" ".join(str(error).split()))[:500]
        voice, setting = _voice(), identifier("BULLPEN_LOG_LEVEL=debug")
        hint = "" if _debugging() else f" {voice(say('said.shows_where', setting=setting))}"
        head = voice.head(say("said.unexpected"))
        errors.print(f"[bold red]{head}[/]{shown(type(error).__name__)}: {shown(what)}{hint}", soft_wrap=True)
        _trace()
        raise typer.Exit(1) from None


def _voice() -> "Voice":
    """That of the reader of an error."""
    from workers.cli.voice import Voice  # which most commands load anyway, and `--help` does not need

    return Voice(saying.find_language(asked_language()))


def _debugging() -> bool:
    try:
        return load_settings().log_level == "debug"
    except ConfigurationError:
        return False


def _trace() -> None:
    if _debugging():
        errors.print(shown(redact_url(traceback.format_exc())), soft_wrap=True)


def log_to_terminal() -> None:
    """Write only warnings to stderr, in readable form. Messages that commands print themselves are not logged in addition."""
    asked = load_settings().log_level
    level = asked if asked in ("debug", "error") else "warning"
    set_up_later(lambda: _write_to_terminal(level), getattr(logging, level.upper()))
    if level != "debug":
        for logger in ("workers.app.outbox", "workers.app.sweep", "workers.blackboard.quarantine", "kombu", "celery"):
            logging.getLogger(logger).setLevel(logging.ERROR)


def _write_to_terminal(level: str) -> None:
    from workers.telemetry import configure_logging

    configure_logging("console", level)


def user_name() -> str:
    """Who works at this terminal. At a gateway the key's owner counts."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in a container
        return "operator"
