"""Whether a requirement that was read gives the rows of a query."""

import math
from collections.abc import Sequence

import duckdb

from contracts.tables import TableDetail
from workers.engines.requirements import RequirementReading
from workers.engines.steps import Relations, statements_of


def assert_gives(reading: RequirementReading, tables: Sequence[TableDetail], setup: Sequence[str], gold: str) -> None:
    """The statements of the reading and the query give the same rows, in any order: at least one."""
    assert reading.target is not None, reading.unread
    with duckdb.connect(":memory:") as connection:
        for statement in setup:
            connection.execute(statement)
        relations = Relations(reading.steps, tables, "duckdb")
        statements, _ = statements_of(relations, reading.steps[-1], reading.target, "duckdb")
        for statement in statements:
            connection.execute(statement)
        found = connection.table(reading.target.table).fetchall()
        wanted = connection.execute(gold).fetchall()
    assert wanted, "a query without rows shows nothing"
    assert len(found) == len(wanted)
    for left, right in zip(sorted(found, key=_key_of), sorted(wanted, key=_key_of), strict=True):
        assert len(left) == len(right)
        assert all(_same(a, b) for a, b in zip(left, right, strict=True)), (left, right)


def _key_of(row: tuple[object, ...]) -> list[str]:
    return [f"{float(str(value)):.3f}" if _is_number(value) else str(value)[:10] for value in row]


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _same(left: object, right: object) -> bool:
    if _is_number(left) and _is_number(right):
        return math.isclose(float(str(left)), float(str(right)), abs_tol=1e-6)
    return str(left).removesuffix(" 00:00:00") == str(right).removesuffix(" 00:00:00")
