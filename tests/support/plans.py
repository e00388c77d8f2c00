"""What Postgres does for the statements that a function runs: the tables it scans, and how many rows it reads."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg import sql

from workers.blackboard.engine import Database

_NAMED = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True)
class Statement:
    """A query that was run, with its parameters."""

    query: str
    parameters: dict[str, Any]
    is_planned_each_time: bool
    """For these parameters; else the plan may be one for all parameters, or one for these."""


@dataclass(frozen=True)
class Work:
    """The cost of a statement, independent of the speed of the machine."""

    scanned: frozenset[str]
    """Tables that are read from the beginning to the end."""
    rows: int
    """Rows that are read from tables and indexes, those that a filter removes included."""


@contextmanager
def _recorded(patch: pytest.MonkeyPatch) -> Iterator[list[Statement]]:
    ran: list[Statement] = []
    execute = psycopg.Connection.execute

    def record(self: psycopg.Connection[Any], query: Any, params: Any = None, **more: Any) -> Any:
        if isinstance(query, str) and query.lstrip().upper().startswith(("SELECT", "WITH")):
            ran.append(Statement(query, dict(params or {}), more.get("prepare") is False))
        return execute(self, query, params, **more)

    patch.setattr(psycopg.Connection, "execute", record)
    yield ran
    patch.undo()


def statements_of(read: Callable[[], object]) -> list[Statement]:
    """The queries that a reading makes."""
    with _recorded(pytest.MonkeyPatch()) as ran:
        read()
    return ran


def work_of(db: Database, statement: Statement) -> Work:
    """What a statement does, by the worse of the plans that it may get."""
    modes = ["force_custom_plan"] if statement.is_planned_each_time else ["force_custom_plan", "force_generic_plan"]
    works = [_work(db, statement, mode) for mode in modes]
    return Work(frozenset().union(*(work.scanned for work in works)), max(work.rows for work in works))


def _work(db: Database, statement: Statement, mode: str) -> Work:
    names = list(dict.fromkeys(_NAMED.findall(statement.query)))
    numbered = _NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", statement.query).replace("%%", "%")
    values = sql.SQL(", ").join(sql.Literal(statement.parameters[name]) for name in names)
    with psycopg.connect(db.url, autocommit=True) as connection:
        connection.execute("SELECT set_config('plan_cache_mode', %s, false)", (mode,))
        connection.execute(sql.SQL("PREPARE reading AS ") + sql.SQL(numbered))  # pyright: ignore[reportArgumentType]  recorded text
        call = sql.SQL("EXECUTE reading") + (sql.SQL(" (") + values + sql.SQL(")") if names else sql.SQL(""))
        row = connection.execute(sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) ") + call).fetchone()
    nodes = list(_nodes(row[0][0]["Plan"])) if row else []
    read = [node for node in nodes if "Scan" in node["Node Type"] and ("Relation Name" in node or "Index Name" in node)]
    return Work(frozenset(node["Relation Name"] for node in read if node["Node Type"] == "Seq Scan"), sum(_rows(node) for node in read))


def _rows(node: dict[str, Any]) -> int:
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return round((node["Actual Rows"] + removed) * node["Actual Loops"])


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)
