"""Repairs that a real Postgres judges: statements that other engines run, over an invented shop."""

from collections.abc import Iterator
from decimal import Decimal
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from contracts.tables import ColumnDetail, TableDetail
from tests.support.servers import Servers
from workers.engines.sql.repair import repair

DDL = """
CREATE TABLE visits (visit_id integer PRIMARY KEY, guest text, stayed_from date,
  paid_at timestamp, price numeric(10,2), is_paid boolean, room_no text);
INSERT INTO visits VALUES
  (1, 'Ada', '2026-01-05', '2026-01-06 10:00', 20, TRUE, '7'),
  (2, 'Bo', '2026-02-10', '2026-02-11 09:00', NULL, FALSE, '8'),
  (3, 'Ada', '2026-02-20', '2026-03-01 00:00', 35, TRUE, '7');
"""
TABLE = TableDetail(
    name="visits",
    columns=(
        ColumnDetail(name="visit_id", type="integer"),
        ColumnDetail(name="guest", type="text"),
        ColumnDetail(name="stayed_from", type="date"),
        ColumnDetail(name="paid_at", type="timestamp"),
        ColumnDetail(name="price", type="numeric(10,2)"),
        ColumnDetail(name="is_paid", type="boolean"),
        ColumnDetail(name="room_no", type="text"),
    ),
    primary_key=("visit_id",),
)


@pytest.fixture(scope="module")
def shop(servers: Servers) -> Iterator[psycopg.Connection]:
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        name = f"test_{uuid4().hex[:12]}"
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        with psycopg.connect(servers.database_url(name), autocommit=True) as connection:
            connection.execute(DDL)
            yield connection
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


CASES = [
    ("SELECT guest FROM visits WHERE is_paid = 1", "SELECT guest FROM visits WHERE is_paid"),
    ("SELECT SUM(is_paid) FROM visits", "SELECT COUNT(*) FROM visits WHERE is_paid"),
    ("SELECT guest, room_no, COUNT(*) FROM visits GROUP BY guest", "SELECT guest, room_no, COUNT(*) FROM visits GROUP BY guest, room_no"),
    ("SELECT guest, COUNT(*) AS n FROM visits GROUP BY guest HAVING n > 1",
     "SELECT guest, COUNT(*) FROM visits GROUP BY guest HAVING COUNT(*) > 1"),
    ("SELECT price * 2 AS twice FROM visits WHERE twice > 50", "SELECT price * 2 FROM visits WHERE price * 2 > 50"),
    ("SELECT guest, SUM(price) AS s FROM visits GROUP BY guest ORDER BY CASE WHEN s IS NULL THEN 1 ELSE 0 END, s",
     "SELECT guest, SUM(price) FROM visits GROUP BY guest ORDER BY 2 NULLS LAST"),
    ("SELECT guest FROM visits WHERE room_no = 7", "SELECT guest FROM visits WHERE room_no = '7'"),
    ("SELECT ROUND(AVG(price)::float8, 1) FROM visits", "SELECT ROUND(AVG(price), 1) FROM visits"),
    ("SELECT n.guest FROM (SELECT guest FROM visits) WHERE n.guest = 'Bo'", "SELECT 'Bo'"),
    ("SELECT guest FROM visits WHERE guest LIKE 'ada' COLLATE SQL_Latin1_General_CP1_CI_AS",
     "SELECT guest FROM visits WHERE guest ILIKE 'ada'"),
    ("SELECT strftime('%Y-%m', stayed_from) FROM visits", "SELECT to_char(stayed_from, 'YYYY-MM') FROM visits"),
    ("SELECT guest FROM visits WHERE stayed_from >= date('2026-02-20', '-10 days')",
     "SELECT guest FROM visits WHERE stayed_from >= '2026-02-10'"),
    ("SELECT julianday(paid_at) - julianday(stayed_from) FROM visits",
     "SELECT EXTRACT(EPOCH FROM paid_at - stayed_from) / 86400 FROM visits"),
    ("SELECT DATEADD(month, DATEDIFF(month, 0, paid_at), 0) FROM visits", "SELECT date_trunc('month', paid_at) FROM visits"),
    ("SELECT guest FROM visits WHERE DATEPART(WEEKDAY, stayed_from) = 2",
     "SELECT guest FROM visits WHERE EXTRACT(DOW FROM stayed_from) = 1"),
    ("SELECT DATE_ADD(stayed_from, INTERVAL visit_id DAY) FROM visits", "SELECT stayed_from + visit_id * INTERVAL '1 day' FROM visits"),
    ("SELECT IFNULL(price, 0) FROM visits", "SELECT COALESCE(price, 0) FROM visits"),
    ("SELECT GROUP_CONCAT(guest ORDER BY visit_id SEPARATOR '/') FROM visits", "SELECT 'Ada/Bo/Ada'"),
    ("SELECT TIMESTAMPDIFF(MONTH, stayed_from, '2026-04-15'), `guest` FROM visits",
     "SELECT EXTRACT(MONTH FROM AGE(DATE '2026-04-15', stayed_from)), guest FROM visits"),
    ("SELECT DATEDIFF(week, stayed_from, '2026-05-03'), DATEDIFF(hour, stayed_from, paid_at) FROM visits",
     "SELECT (DATE '2026-05-04' - date_trunc('week', stayed_from + 1)::date) / 7, "
     "EXTRACT(EPOCH FROM date_trunc('hour', paid_at) - stayed_from)::int / 3600 FROM visits"),
    ("SELECT guest FROM hotel.visits", "SELECT guest FROM visits"),
    ("SELECT guest FROM visits WHERE guest = \"Bo\"", "SELECT 'Bo'"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "same_as"), CASES)
def test_what_postgres_refuses_runs_after_the_repair_and_means_the_same(shop: psycopg.Connection, broken: str, same_as: str) -> None:
    def dry_run(statement: str) -> str | None:
        try:
            shop.execute(f"EXPLAIN {statement}".encode())
        except psycopg.Error as error:
            return str(error)
        return None

    def shown(cell: object) -> str:
        return f"{cell:.3f}" if isinstance(cell, int | float | Decimal) else str(cell)

    def rows(statement: str) -> list[str]:
        return sorted(" ".join(shown(cell) for cell in row) for row in shop.execute(statement.encode()))

    found = repair(broken, None, "postgres", [TABLE], dry_run)

    assert found.changes, "the statement was not broken"
    assert found.sql is not None
    assert rows(found.sql) == rows(same_as)
