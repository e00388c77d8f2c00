"""Running checks on a server: one connection, a read-only transaction and a time limit for each."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from contracts.checks import Check
from contracts.statements import Sayable, name, passage, say, seconds
from workers.checks.reading import Looked
from workers.errors import SourceUnavailable, UnsafeAccount
from workers.secrets import redact_url

CHECK_S = 2.0
"""Seconds of one check, by the server's own limit."""
ALL_S = 10.0
"""Seconds of all checks of a look. What is left then is not known."""
MOST_ROWS = 100
"""Rows that are fetched of a check."""

_Connection = psycopg.Connection[tuple[Any, ...]]


def look_at_postgres(
    url: str, checks: Sequence[Check], *, superuser: bool = False, check_s: float = CHECK_S, all_s: float = ALL_S
) -> Iterator[Looked]:
    """Each check as it ran. Nothing can be written: every transaction is read-only from its start, and holds one statement.

    Raises `SourceUnavailable` when there is no connection, and `UnsafeAccount` for a superuser unless the operator insisted.
    """
    ends = monotonic() + all_s
    with _connected(url, superuser) as connection:
        version = connection.info.server_version // 10_000
        there = {row[0] for row in _run(connection, "SELECT extname FROM pg_extension", check_s)[1]}
        for check in checks:
            if why := _not_here(check, version, there):
                yield Looked(check, why_not=why)
                continue
            if (left := ends - monotonic()) <= 0:
                yield Looked(check, why_not=say("check.no_time", after=seconds(all_s)))
                continue
            yield _looked(connection, check, min(check_s, left))


def _looked(connection: _Connection, check: Check, within_s: float) -> Looked:
    began = monotonic()
    try:
        columns, rows = _run(connection, check.sql, within_s)
    except psycopg.errors.QueryCanceled:
        return Looked(check, why_not=say("check.too_long", after=seconds(within_s)), ms=_since(began))
    except psycopg.OperationalError as error:
        if connection.broken:
            raise SourceUnavailable.of(say("check.lost", reason=passage(_first_line(error)))) from None
        return Looked(check, why_not=say("check.failed", reason=passage(_first_line(error))), ms=_since(began))
    except psycopg.errors.InsufficientPrivilege as error:
        return Looked(check, why_not=say("check.no_right", reason=passage(_first_line(error))), ms=_since(began))
    except psycopg.Error as error:
        return Looked(check, why_not=say("check.failed", reason=passage(_first_line(error))), ms=_since(began))
    return Looked(check, columns, rows, ms=_since(began))


def _connected(url: str, superuser: bool) -> _Connection:
    address = "postgresql://" + url.split("://", 1)[1]
    try:
        connection = psycopg.Connection[tuple[Any, ...]].connect(
            address, row_factory=tuple_row, application_name="bullpen-check", connect_timeout=5, prepare_threshold=None, autocommit=True
        )
    except psycopg.Error as error:
        where, reason = name(redact_url(address)), passage(_first_line(error))
        raise SourceUnavailable.of(say("refused.source.away", engine=name("Postgres"), where=where, reason=reason)) from None
    if connection.info.parameter_status("is_superuser") == "on" and not superuser:
        connection.close()
        raise UnsafeAccount.of(say("refused.source.superuser"))
    return connection


def _run(connection: _Connection, sql: str, within_s: float) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The statement in a transaction of its own, which also has the server take a new picture of its statistics."""
    connection.execute("BEGIN READ ONLY")
    try:
        limit = str(max(1, int(within_s * 1000)))
        connection.execute("SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', '500ms', true)", [limit])
        cursor = connection.execute(sql.encode())
        return tuple(column.name for column in cursor.description or ()), cursor.fetchmany(MOST_ROWS)
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
