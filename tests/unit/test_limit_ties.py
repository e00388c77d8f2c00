"""Rows behind a limit that are as good as the last one."""

import duckdb
import pytest

from workers.engines.sql.limit_ties import further_than_limit

ROWS = "(VALUES ('a', 3), ('b', 2), ('c', 2), ('d', 2), ('e', 1)) t(name, n)"
TOP = "SELECT name, n FROM ROWS ORDER BY %s LIMIT %s"


def tied(sql: str) -> list[str] | None:
    sql = sql.replace("ROWS", ROWS)
    shown = duckdb.sql(sql)
    further = further_than_limit(sql, "duckdb", shown.columns)
    return None if further is None else [row[0] for row in further.ties(shown.fetchall(), duckdb.sql(further.sql).fetchall())]


@pytest.mark.parametrize(
    ("order", "limit", "rows"),
    [
        ("n DESC, name", 2, []),
        ("2 DESC", 1, []),
        ("n DESC", 4, []),
        ("n", 9, []),
        ("t.n DESC", 5, []),
    ],
)
def test_rows_without_ties_are_all_that_there_is(order: str, limit: int, rows: list[str]) -> None:
    assert tied(TOP % (order, limit)) == (None if order.startswith("t.") else rows)


@pytest.mark.parametrize(("limit", "left"), [(2, 2), (3, 1)])
def test_rows_that_a_limit_cuts_off_by_chance_are_found(limit: int, left: int) -> None:
    found = tied(TOP % ("n DESC", limit))

    assert found is not None
    assert len(found) == left
    assert set(found) < {"b", "c", "d"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, n FROM ROWS ORDER BY n DESC",
        "SELECT name, n FROM ROWS LIMIT 2",
        "SELECT name FROM ROWS ORDER BY n DESC LIMIT 2",
        "SELECT name, n FROM ROWS ORDER BY n DESC LIMIT 2 OFFSET 1",
    ],
)
def test_a_statement_whose_order_its_result_does_not_show_is_left_alone(sql: str) -> None:
    assert tied(sql) is None
