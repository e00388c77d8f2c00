"""Running checks on a server: one connection, a read-only transaction and a time limit for each."""

import os
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from time import monotonic
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from contracts.checks import Check
from contracts.statements import Sayable, name, passage, say, seconds
from workers.checks.reading import Looked
from workers.errors import InvalidInput, UnsafeAccount
from workers.secrets import redact_url

CHECK_S = 2.0
"""Seconds of one check, by the server's own limit."""
ALL_S = 10.0
"""Seconds of all checks of a look. What is left then is not known."""
GRACE_S = 5.0
"""Seconds after these in which a server has to answer at all."""
MOST_ROWS = 100
"""Rows that are fetched of a check."""

_Connection = psycopg.Connection[tuple[Any, ...]]


class NoConnection(Exception):
    """The server does not answer, or does not let the account in; the message is its first line."""

    def __init__(self, error: Exception, *, is_evidence: bool) -> None:
        super().__init__(_first_line(error))
        self.is_evidence = is_evidence
        """It says something of the server: nothing listens there, it has no room, or it ended the connection. Anything else may be a wrong
        address, a TLS setting or an account of ours."""


_FETCH = f"FETCH FORWARD {MOST_ROWS} FROM bullpen_check".encode()
_NOBODY = "Is the server running"
"""The hint of libpq where the operating system made no connection to an address that is known."""
_FULL = ("connection slots", "too many clients", "too many connections", "starting up", "shutting down", "recovery mode")


def look_at_postgres(
    url: str, checks: Sequence[Check], *, superuser: bool = False, check_s: float = CHECK_S, all_s: float = ALL_S
) -> Iterator[Looked]:
    """Each check as it ran. Nothing can be written: every transaction is read-only from its start, and holds one statement.

    Raises `NoConnection`, and `UnsafeAccount` for a superuser unless the operator insisted.
    """
    ends = monotonic() + all_s
    with _connected(url, superuser) as connection, _ended_after(connection, all_s + GRACE_S):
        version = connection.info.server_version // 10_000
        there = _extensions(connection, check_s)
        for check in checks:
            if why := _not_here(check, version, there):
                yield Looked(check, why_not=why)
                continue
            if (left := ends - monotonic()) <= 0:
                yield Looked(check, why_not=say("check.no_time", after=seconds(all_s)))
                continue
            yield _looked(connection, check, min(check_s, left))


@contextmanager
def _ended_after(connection: _Connection, seconds_: float) -> Generator[None]:
    """Cut the connection after this time: a server that is frozen keeps no limit of its own."""
    descriptor = connection.fileno()

    def cut() -> None:
        with suppress(OSError):
            held = socket.socket(fileno=os.dup(descriptor))
            try:
                held.shutdown(socket.SHUT_RDWR)
            finally:
                held.close()

    timer = Timer(seconds_, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _extensions(connection: _Connection, within_s: float) -> set[str]:
    """Those that are installed; none where the server does not tell in time."""
    try:
        return {row[0] for row in _run(connection, "SELECT extname FROM pg_extension", within_s)[1]}
    except psycopg.Error as error:
        if connection.broken or connection.closed:
            raise NoConnection(error, is_evidence=True) from None
        return set()


def _looked(connection: _Connection, check: Check, within_s: float) -> Looked:
    began = monotonic()
    try:
        columns, rows = _run(connection, check.sql, within_s, path="" if check.extension else "pg_catalog")
    except psycopg.errors.QueryCanceled:
        return Looked(check, why_not=say("check.too_long", after=seconds(within_s)), ms=_since(began))
    except psycopg.OperationalError as error:
        if connection.broken or connection.closed:
            raise NoConnection(error, is_evidence=True) from None
        return Looked(check, why_not=say("check.failed", reason=passage(_first_line(error))), ms=_since(began))
    except psycopg.errors.InsufficientPrivilege as error:
        return Looked(check, why_not=say("check.no_right", reason=passage(_first_line(error))), ms=_since(began))
    except (psycopg.Error, UnicodeDecodeError) as error:  # a text of another database may be in another encoding
        return Looked(check, why_not=say("check.failed", reason=passage(_first_line(error))), ms=_since(began))
    return Looked(check, columns, rows, ms=_since(began))


def _connected(url: str, superuser: bool) -> _Connection:
    address = "postgresql://" + url.split("://", 1)[1]
    try:
        connection = psycopg.Connection[tuple[Any, ...]].connect(
            address, row_factory=tuple_row, application_name="bullpen-check", connect_timeout=5, prepare_threshold=None, autocommit=True
        )
    except psycopg.ProgrammingError:  # it quotes the address
        raise InvalidInput.of(say("check.refused.address")) from None
    except psycopg.Error as error:
        is_evidence = isinstance(error, psycopg.errors.ConnectionTimeout) or any(words in str(error) for words in (_NOBODY, *_FULL))
        raise NoConnection(error, is_evidence=is_evidence) from None
    if connection.info.parameter_status("is_superuser") == "on" and not superuser:
        connection.close()
        raise UnsafeAccount.of(say("refused.source.superuser"))
    return connection


def _run(connection: _Connection, sql: str, within_s: float, *, path: str = "") -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The statement in a transaction of its own, which also has the server take a new picture of its statistics. `path`: the
    only schema in which names are looked for, so that nothing of a user's can stand in for a view or a function."""
    connection.execute("BEGIN READ ONLY")
    try:
        limit = str(max(1, int(within_s * 1000)))
        connection.execute("SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', '500ms', true)", [limit])
        if path:
            connection.execute("SELECT set_config('search_path', %s, true)", [path])
        connection.execute(b"DECLARE bullpen_check NO SCROLL CURSOR FOR " + sql.encode())  # what is not fetched is not sent
        cursor = connection.execute(_FETCH)
        return tuple(column.name for column in cursor.description or ()), cursor.fetchall()
    finally:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")


def _not_here(check: Check, version: int, extensions: set[str]) -> Sayable:
    if check.since > version:
        return say("check.too_old", since=name(check.since), version=name(version))
    if check.extension and check.extension not in extensions:
        return say("check.no_extension", extension=name(check.extension))
    return ""


def _first_line(error: Exception) -> str:
    return redact_url((str(error).strip().splitlines() or [type(error).__name__])[0])[:300]


def _since(began: float) -> int:
    return round((monotonic() - began) * 1000)
