"""A mend that asks something else says so, after statements of public questions in the words of several engines."""

import duckdb
import pytest

from tests.unit.test_sql_repair import DDL, TABLES, taken_by
from workers.engines.sql.repair import repair, translated
from workers.saying import text_of

NO_ROWNUM = 'ERROR:  column "rownum" does not exist'


def rows_of(sql: str, dialect: str) -> list[tuple[object, ...]]:
    """What the shop answers."""
    connection = duckdb.connect(":memory:")
    connection.execute(DDL)
    return connection.execute(translated(sql, dialect, "duckdb", TABLES) or "").fetchall()


def test_a_limit_that_now_comes_after_the_order_is_named() -> None:
    """Oracle takes any two rows, and then orders them: it was called the same meaning."""
    sql = "SELECT order_id FROM orders WHERE ROWNUM <= 2 ORDER BY total DESC"

    found = repair(sql, NO_ROWNUM, "postgres", TABLES, taken_by("postgres"), is_tried=False)

    assert found.sql is not None
    assert rows_of(found.sql, "postgres") == [(2,), (1,)]
    assert "before `ORDER BY total DESC`" in text_of(found.changes[0], "en")
    assert "same meaning" not in text_of(found.changes[0], "en")
    assert "ORDER BY total DESC" in text_of(found.changes[0], "zh")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT COUNT(*) FROM orders WHERE ROWNUM <= 2", [(2,)]),
        ("SELECT COUNT(DISTINCT o.customer_id) FROM orders o WHERE o.total > 4 AND ROWNUM < 2", [(1,)]),
        ("SELECT * FROM (SELECT order_id FROM orders ORDER BY total DESC) x WHERE ROWNUM <= 2", [(2,), (1,)]),
    ],
)
def test_rows_are_limited_before_they_are_counted(sql: str, rows: list[tuple[object, ...]]) -> None:
    found = repair(sql, NO_ROWNUM, "postgres", TABLES, taken_by("postgres"), is_tried=False)

    assert found.sql is not None
    assert rows_of(found.sql, "postgres") == rows


def test_a_limit_of_joined_rows_that_are_counted_is_not_offered() -> None:
    sql = "SELECT SUM(i.quantity) FROM orders o JOIN items i ON i.order_id = o.order_id WHERE ROWNUM < 3"

    assert repair(sql, NO_ROWNUM, "postgres", TABLES, taken_by("postgres"), is_tried=False).sql is None


@pytest.mark.parametrize(
    ("dialect", "error", "part"),
    [
        ("tsql", "Invalid column name 'y'.", "YEAR(ordered_at)"),
        ("oracle", 'ORA-00904: "Y": invalid identifier', "EXTRACT(YEAR FROM ordered_at)"),
    ],
)
def test_an_alias_in_group_by_is_spelt_out_before_another_dialect_is_guessed(dialect: str, error: str, part: str) -> None:
    """Another engine knows the alias, so the statement came back with it, in other words of the same dialect."""
    sql = "SELECT {} AS y, COUNT(*) FROM orders GROUP BY {}"

    found = repair(sql.format(part, "y"), error, dialect, TABLES, taken_by(dialect), is_tried=False)

    assert found.sql == sql.format(part, part)


def test_the_alias_of_an_aggregate_in_where_is_a_condition_on_the_aggregate() -> None:
    sql = "SELECT city, COUNT(*) AS n FROM customers WHERE n > 1 GROUP BY city"

    found = repair(sql, "ERROR 1054 (42S22): Unknown column 'n' in 'where clause'", "mysql", TABLES, taken_by("mysql"), is_tried=False)

    assert found.sql is not None
    assert rows_of(found.sql, "mysql") == [("Rome", 2)]


def test_what_distinct_selects_besides_is_said_to_make_other_rows() -> None:
    error = "ERROR:  for SELECT DISTINCT, ORDER BY expressions must appear in select list"

    found = repair("SELECT DISTINCT city FROM customers ORDER BY joined", error, "postgres", TABLES, taken_by("postgres"), is_tried=False)

    assert "now different rows" in text_of(found.changes[0], "en")
