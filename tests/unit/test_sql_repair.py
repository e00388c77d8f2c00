"""Repairs of invented statements over an invented shop, each judged by a real engine."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import date

import duckdb
import pytest

from contracts.statements import code
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.texts import foreign_words
from workers.engines.catalogue import LOCALE
from workers.engines.sql.repair import repair, translated
from workers.engines.sql.repair.dialects import keeps_texts, likely_dialects, parsed
from workers.engines.sql.repair.smallest import smallest
from workers.engines.sql.repair.translate import translate
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.saying import add_catalogue, text_of

add_catalogue(LOCALE)

DDL = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, full_name TEXT, city TEXT, joined DATE, is_member BOOLEAN);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id),
  ordered_at TIMESTAMP, total DECIMAL(10,2));
CREATE TABLE items (item_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id), product TEXT, quantity INTEGER);
INSERT INTO customers VALUES (1, 'Ada', 'Rome', '2026-01-05', TRUE),
  (2, 'Bo', 'Oslo', '2026-02-10', FALSE), (3, 'Cy', 'Rome', '2026-02-20', TRUE);
INSERT INTO orders VALUES (1, 1, '2026-03-02 10:00:00', 20), (2, 1, '2026-03-31 09:30:00', 30), (3, 2, '2026-04-01 12:00:00', 5);
INSERT INTO items VALUES (1, 1, 'tea', 2), (2, 1, 'cup', 1), (3, 2, 'pot', 1), (4, 3, 'tea', 1);
"""


def table(name: str, key: str, *columns: tuple[str, str], foreign: tuple[ForeignKey, ...] = ()) -> TableDetail:
    return TableDetail(
        name=name, columns=tuple(ColumnDetail(name=column, type=kind) for column, kind in columns), primary_key=(key,), foreign_keys=foreign
    )


TABLES = [
    table(
        "customers",
        "customer_id",
        ("customer_id", "integer"),
        ("full_name", "text"),
        ("city", "text"),
        ("joined", "date"),
        ("is_member", "boolean"),
    ),
    table(
        "orders",
        "order_id",
        ("order_id", "integer"),
        ("customer_id", "integer"),
        ("ordered_at", "timestamp"),
        ("total", "decimal(10,2)"),
        foreign=(ForeignKey(columns=("customer_id",), table="customers", references=("customer_id",)),),
    ),
    table(
        "items",
        "item_id",
        ("item_id", "integer"),
        ("order_id", "integer"),
        ("product", "text"),
        ("quantity", "integer"),
        foreign=(ForeignKey(columns=("order_id",), table="orders", references=("order_id",)),),
    ),
]


class Engine:
    """A real engine with the shop in it."""

    def __init__(self, name: str, run: Callable[[str], list[tuple[object, ...]]]) -> None:
        self.name = name
        self.run = run

    def dry_run(self, sql: str) -> str | None:
        try:
            self.run(f"EXPLAIN {sql}")
        except (sqlite3.Error, duckdb.Error) as error:
            return str(error)
        return None


@pytest.fixture
def sqlite() -> Iterator[Engine]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(DDL)
    yield Engine("sqlite", lambda sql: connection.execute(sql).fetchall())
    connection.close()


@pytest.fixture
def duck() -> Iterator[Engine]:
    connection = duckdb.connect(":memory:")
    connection.execute(DDL)
    yield Engine("duckdb", lambda sql: connection.execute(sql).fetchall())
    connection.close()


def repaired(engine: Engine, sql: str) -> tuple[str, list[str]]:
    """The repaired statement and the codes of what was changed."""
    found = repair(sql, None, engine.name, TABLES, engine.dry_run)
    assert found.sql is not None, found.tried
    assert engine.dry_run(sql) is not None, "the statement was not broken"
    return found.sql, [change.code.removeprefix("sql_repair.") for change in found.changes]


TO_SQLITE = [
    ("SELECT TOP 2 full_name FROM customers ORDER BY joined DESC", "SELECT full_name FROM customers ORDER BY joined DESC LIMIT 2"),
    ("SELECT `full_name`, DATE_FORMAT(joined, '%Y') FROM shop.customers", "SELECT full_name, strftime('%Y', joined) FROM customers"),
    ("SELECT DATE_TRUNC('month', ordered_at), SUM(total) FROM orders GROUP BY 1",
     "SELECT date(ordered_at, 'start of month'), SUM(total) FROM orders GROUP BY 1"),
    ("SELECT order_id FROM orders WHERE EXTRACT(MONTH FROM ordered_at) = 3",
     "SELECT order_id FROM orders WHERE strftime('%m', ordered_at) = '03'"),
    ("SELECT order_id, DATEADD(day, 10, ordered_at) FROM orders", "SELECT order_id, date(ordered_at, '+10 days') FROM orders"),
    ("SELECT full_name FROM customers WHERE full_name ILIKE 'a%'", "SELECT full_name FROM customers WHERE full_name LIKE 'a%'"),
    ("SELECT city, STRING_AGG(full_name, ',') FROM customers GROUP BY city",
     "SELECT city, group_concat(full_name, ',') FROM customers GROUP BY city"),
    ("SELECT full_name FROM customers WHERE full_name NOT ILIKE 'a%'", "SELECT full_name FROM customers WHERE full_name NOT LIKE 'a%'"),
    ("SELECT NVL(city, '-') FROM customers WHERE is_member AND ROWNUM <= 1", "SELECT city FROM customers WHERE is_member LIMIT 1"),
    ("SELECT DATE_FORMAT(joined, 'yyyy-MM') FROM customers", "SELECT strftime('%Y-%m', joined) FROM customers"),
    ("SELECT joined - INTERVAL '1 month' FROM customers", "SELECT date(joined, '-1 month') FROM customers"),
    ("SELECT EOMONTH(joined) FROM customers", "SELECT date(joined, 'start of month', '+1 month', '-1 day') FROM customers"),
    ("SELECT order_id FROM orders WHERE DAYOFWEEK(ordered_at) IN (2)",
     "SELECT order_id FROM orders WHERE strftime('%w', ordered_at) = '1'"),
    ("SELECT DATE_SUB(joined, INTERVAL WEEKDAY(joined) DAY) FROM customers", "SELECT date(joined, 'weekday 0', '-6 days') FROM customers"),
    ("SELECT full_name FROM customers WHERE REGEXP_LIKE(city, '^(Rome|Oslo)$') AND city <> 'Oslo'",
     "SELECT full_name FROM customers WHERE city = 'Rome'"),
    ("SELECT DATEDIFF(day, '2026-03-01', ordered_at) FROM orders",
     "SELECT CAST(julianday(date(ordered_at)) - julianday('2026-03-01') AS INTEGER) FROM orders"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "same_as"), TO_SQLITE)
def test_a_statement_of_another_dialect_yields_in_sqlite_what_it_means(sqlite: Engine, broken: str, same_as: str) -> None:
    sql, changes = repaired(sqlite, broken)

    assert sqlite.run(sql) == sqlite.run(same_as)
    assert changes[0] in {"dialect", "schema_dropped"}


COUNTED = [
    ("duckdb", "SELECT TIMESTAMPDIFF(YEAR, joined, DATE '2027-01-01'), TIMESTAMPDIFF(MONTH, joined, DATE '2026-05-01') FROM customers",
     [(0, 3), (0, 2), (0, 2)]),
    ("duckdb", "SELECT TIMESTAMPDIFF(MONTH, DATE '2026-05-01', joined), TIMESTAMPDIFF(QUARTER, joined, DATE '2026-07-06') FROM customers",
     [(-3, 2), (-2, 1), (-2, 1)]),
    ("sqlite", "SELECT TIMESTAMPDIFF(MONTH, joined, '2026-05-01'), TIMESTAMPDIFF(WEEK, joined, '2026-05-01') FROM customers",
     [(3, 16), (2, 11), (2, 10)]),
    ("sqlite", "SELECT DATEDIFF(week, joined, '2026-05-01'), DATEDIFF(week, '2026-05-02', '2026-05-03') FROM customers",
     [(16, 1), (11, 1), (10, 1)]),
    ("duckdb", "SELECT DATEDIFF(week, joined, CAST('2026-05-03' AS DATE)), DATEPART(year, GETDATE()) > 2000 FROM customers",
     [(17, True), (12, True), (11, True)]),
    ("sqlite", "SELECT DATEDIFF(hour, '2026-03-01 23:30:00', ordered_at) FROM orders", [(11,), (706,), (733,)]),
    ("sqlite", "SELECT DATEDIFF(quarter, joined, '2026-04-01'), DATEPART(quarter, joined) FROM customers", [(1, 1), (1, 1), (1, 1)]),
    ("sqlite", "SELECT TRUNC(SYSDATE - joined) > 100 FROM customers WHERE NVL(city, '') = 'Oslo'", [(1,)]),
    ("sqlite", "SELECT NVL(city, '') FROM customers WHERE joined + 1 = '2026-01-06'", [("Rome",)]),
    ("sqlite", "SELECT NVL(city, ''), joined - TO_DATE('2026-01-01', 'YYYY-MM-DD') FROM customers",
     [("Rome", 4), ("Oslo", 40), ("Rome", 50)]),
    ("duckdb", "SELECT joined - TO_DATE('2026-01-01', 'YYYY-MM-DD') FROM customers WHERE ROWNUM <= 1 AND NVL(city, '') = 'Oslo'", [(40,)]),
    ("sqlite", "SELECT MAX(joined::date) - MIN(joined), MAX(joined) - 7 * 2 FROM customers", [(46, "2026-02-06")]),
    ("sqlite", "SELECT 10.0 / TIMESTAMPDIFF(HOUR, '2026-03-01 00:00:00', '2026-03-01 05:00:00')", [(2,)]),
    ("duckdb", "SELECT 10 / TIMESTAMPDIFF(HOUR, TIMESTAMP '2026-03-01 00:00:00', TIMESTAMP '2026-03-01 05:00:00')", [(2,)]),
    ("sqlite", "SELECT TOP 1 28.0 / DATEDIFF(week, '2026-03-02', '2026-03-16') FROM customers", [(14,)]),
    ("sqlite", "SELECT TOP 1 DATEADD(month, 1, '2026-01-31'), DATEADD(month, 1, CAST('2026-01-31 10:00' AS DATETIME)) FROM customers",
     [("2026-02-28", "2026-02-28 10:00:00")]),
    ("sqlite", "SELECT DATE_TRUNC(ordered_at, WEEK), COUNT(*) FROM orders GROUP BY 1", [("2026-03-01", 1), ("2026-03-29", 2)]),
    ("sqlite", "SELECT TRUNC(joined, 'IW'), NVL(city, '') FROM customers",
     [("2026-01-05", "Rome"), ("2026-02-09", "Oslo"), ("2026-02-16", "Rome")]),
    ("sqlite", "SELECT DATEPART(iso_week, joined) FROM customers", [(2,), (7,), (8,)]),
    ("duckdb", "SELECT IFF(DAYOFWEEK(joined) IN (0, 6), 'off', 'on') FROM customers", [("on",), ("on",), ("on",)]),
    ("duckdb", "SELECT TOP 2 quantity / 2, SUM(quantity) / COUNT(*) FROM items GROUP BY quantity ORDER BY quantity DESC", [(1, 2), (0, 1)]),
    ("duckdb", "SELECT full_name FROM customers ORDER BY ISNULL(NULLIF(city, 'Oslo')), full_name DESC", [("Cy",), ("Ada",), ("Bo",)]),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "broken", "rows"), COUNTED)
def test_units_and_quotients_are_counted_as_the_other_dialect_does(
    request: pytest.FixtureRequest, engine: str, broken: str, rows: object
) -> None:
    """Whole months or boundaries between them, weeks from Sunday, quotients of integers: each was changed as `with the same meaning`."""
    shop: Engine = request.getfixturevalue({"duckdb": "duck"}.get(engine, engine))
    sql, changes = repaired(shop, broken)

    found = [tuple(str(value) if isinstance(value, date) else value for value in row) for row in shop.run(sql)]
    assert (found, changes) == (rows, ["dialect"])


@pytest.mark.parametrize(
    ("engine", "broken"),
    [
        ("duckdb", "SELECT TO_CHAR(joined, 'Q') FROM customers"),
        ("sqlite", "SELECT TO_CHAR(joined, 'Mon YYYY') FROM customers"),
        ("sqlite", "SELECT DATE_FORMAT(joined, '%x-%v') FROM customers"),
        ("sqlite", "SELECT STR_TO_DATE('05/01/2026', '%d/%m/%Y') FROM customers"),
        ("sqlite", "SELECT TRUNC(joined, 'DAY'), NVL(city, '') FROM customers"),
        ("sqlite", "SELECT DATEPART(week, joined) FROM customers"),
        ("sqlite", "SELECT MAX(ordered_at) - MIN(ordered_at), MAX(order_id)::text FROM orders"),
        ("sqlite", "SELECT `joined` + 1, IF(is_member, 1, 0), CURDATE() FROM customers"),
    ],
)
def test_what_has_no_counterpart_is_not_offered(request: pytest.FixtureRequest, engine: str, broken: str) -> None:
    """A unit was left out, an element of a form was printed as its letters, a date was taken for a number."""
    shop: Engine = request.getfixturevalue({"duckdb": "duck"}.get(engine, engine))

    assert repair(broken, None, shop.name, TABLES, shop.dry_run).sql is None


def test_an_argument_that_the_parser_drops_is_of_another_dialect(duck: Engine) -> None:
    """The zone was lost: MySQL's DATE has no place for it."""
    broken = "SELECT DATE(ordered_at, 'Asia/Tokyo'), `order_id` FROM `orders`"

    assert repair(broken, None, "duckdb", TABLES, duck.dry_run).sql is None


@pytest.mark.parametrize(
    ("read", "sql"),
    [
        ("mysql", "SELECT DATE_FORMAT(`x`, '%Y-%m-%d %H:%i:%s'), CONCAT(`x`, '\\n') FROM t"),
        ("snowflake", "SELECT DATEADD('yy', 1, x), DATE_TRUNC('yy', x) FROM t"),
        ("presto", "SELECT DATE_FORMAT(x, '%H:%i:%s') FROM t"),
        ("hive", "SELECT FROM_UNIXTIME(x, 'yyyy-MM-dd HH:mm:ss') FROM t"),
        ("spark", "SELECT FROM_UNIXTIME(x, 'yyyy-MM-dd HH:mm:ss'), DATE_FORMAT(x, 'yyyy') FROM t"),
    ],
)
def test_a_text_in_other_words_is_not_dropped(read: str, sql: str) -> None:
    """Forms and units that the printer shortens were taken for dropped arguments, and the statement was not repaired."""
    tree = parsed(sql, read)

    assert tree is not None
    assert keeps_texts(sql, tree, read)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DATE(a, 'Asia/Tokyo'), 'Asia/Tokyo' FROM `t`",
        "SELECT DATE(a, 'Asia/Tokyo'), DATE_FORMAT(b, '%Y-%m-%d %H:%i:%s') FROM `t`",
    ],
)
def test_a_dropped_text_is_seen_beside_others(sql: str) -> None:
    tree = parsed(sql, "mysql")

    assert tree is not None
    assert not keeps_texts(sql, tree, "mysql")


def test_a_form_in_other_words_is_repaired(duck: Engine) -> None:
    broken = "SELECT DATE_FORMAT(`ordered_at`, '%Y-%m-%d %H:%i:%s') AS moment FROM `orders`"

    found = repair(broken, None, "duckdb", TABLES, duck.dry_run)

    assert found.sql is not None
    assert "'%Y-%m-%d %H:%M:%S'" in found.sql


def test_a_statement_on_which_the_parser_itself_fails_is_none() -> None:
    """A function of MySQL without its second argument stopped the repair with an AttributeError."""
    assert parsed("SELECT DATE_ADD(joined) FROM customers", "mysql") is None
    with pytest.raises(NotParsed, match="incomplete"):
        parse_statement("SELECT DATE_ADD(joined) FROM customers", "mysql")


def test_what_is_lacking_is_said_of_the_statement_in_the_dialects_own_words(duck: Engine) -> None:
    """The function of the other dialect was named, which had been understood; and the zone was only where the engine stopped."""
    column = repair("SELECT DATE_FORMAT(ordered_at, '%Y'), amount FROM `orders`", None, "duckdb", TABLES, duck.dry_run)
    zone = repair("SELECT TIMESTAMP_TRUNC(ordered_at, DAY, 'Asia/Tokyo') FROM orders", None, "duckdb", TABLES, duck.dry_run)

    assert [found.lacking.code if found.lacking else "" for found in (column, zone)] == [
        "sql_repair.lacking.name",
        "sql_repair.lacking.no_counterpart",
    ]
    assert column.lacking is not None
    assert column.lacking.values["name"] == code("amount")


@pytest.mark.parametrize("sql", ["SELECT DATEDIFF(month, joined, GETDATE()) FROM customers", "SELECT DATEDIFF(hour, a, b) FROM t"])
def test_a_difference_of_which_the_printer_loses_the_unit_is_not_offered(sql: str) -> None:
    """DATEDIFF of MySQL counts days."""
    tree = parsed(sql, "tsql")

    assert tree is not None
    assert not translate(tree, "tsql", "mysql", TABLES).is_same
    assert translate(tree, "tsql", "snowflake", TABLES).is_same


TRANSLATED = [
    ("bigquery", "postgres", "SELECT DATE_TRUNC(d, MONTH), DATE_TRUNC(d, ISOWEEK) FROM t",
     "SELECT DATE_TRUNC('MONTH', d), DATE_TRUNC('WEEK', d) FROM t"),
    ("oracle", "postgres", "SELECT TRUNC(d, 'MM') FROM t", "SELECT DATE_TRUNC('MONTH', d) FROM t"),
    ("spark", "postgres", "SELECT TRUNC(d, 'MM') FROM t", "SELECT DATE_TRUNC('MONTH', d) FROM t"),
    ("oracle", "tsql", "SELECT TRUNC(d, 'IW') FROM t", "SELECT DATETRUNC(ISO_WEEK, d) FROM t"),
    ("spark", "bigquery", "SELECT TRUNC(d, 'MM') FROM t", "SELECT DATE_TRUNC(d, MONTH) FROM t"),
    ("postgres", "mysql", "SELECT DATE_TRUNC('week', d) FROM t", None),
    ("mysql", "trino", "SELECT DATEDIFF(a, b) FROM t", "SELECT DATE_DIFF('DAY', DATE_TRUNC('DAY', b), DATE_TRUNC('DAY', a)) FROM t"),
    ("tsql", "trino", "SELECT DATEDIFF(month, a, b) FROM t",
     "SELECT DATE_DIFF('MONTH', DATE_TRUNC('MONTH', a), DATE_TRUNC('MONTH', b)) FROM t"),
    ("mysql", "trino", "SELECT TIMESTAMPDIFF(DAY, DATE_TRUNC('DAY', a), b) FROM t",
     "SELECT DATE_DIFF('DAY', DATE_TRUNC('DAY', a), b) FROM t"),
    ("mysql", "spark", "SELECT DATEDIFF(a, b) FROM t", "SELECT DATEDIFF(a, b) FROM t"),
    ("mysql", "databricks", "SELECT DATEDIFF(a, b) FROM t", "SELECT DATEDIFF(DAY, DATE_TRUNC('DAY', b), DATE_TRUNC('DAY', a)) FROM t"),
    ("tsql", "spark", "SELECT DATEDIFF(month, a, b) FROM t",
     "SELECT DATEDIFF(MONTH, DATE_TRUNC('MONTH', a), DATE_TRUNC('MONTH', b)) FROM t"),
    ("spark", "duckdb", "SELECT DATEDIFF(a, b), DATEDIFF(HOUR, a, b) FROM t",
     "SELECT DATE_DIFF('DAY', CAST(b AS DATE), CAST(a AS DATE)), ((DATE_DIFF('SECOND', a, b)) // 3600) FROM t"),
    ("trino", "duckdb", "SELECT DATE_DIFF('DAY', DATE_TRUNC('DAY', a), CURRENT_DATE), DATE_DIFF('DAY', a, b) FROM t",
     "SELECT DATE_DIFF('DAY', DATE_TRUNC('DAY', a), CURRENT_DATE), ((DATE_DIFF('SECOND', a, b)) // 86400) FROM t"),
    ("mysql", "postgres", "SELECT DATE_FORMAT(d, '%Y年%m月') FROM t", "SELECT TO_CHAR(d, 'YYYY年MM月') FROM t"),
    ("mysql", "oracle", "SELECT DATE_FORMAT(d, '%Y年%m月') FROM t", None),
    ("mysql", "postgres", "SELECT DATE_FORMAT(d, '%Y\"%m') FROM t", None),
    ("mysql", "postgres", "SELECT DATE_FORMAT(d, 'Q%m') FROM t", None),
    ("snowflake", "postgres", "SELECT n % DATEDIFF(week, a, b) FROM t",
     "SELECT n % ((CAST(DATE_TRUNC('WEEK', b) AS DATE) - CAST(DATE_TRUNC('WEEK', a) AS DATE)) / 7) FROM t"),
    ("tsql", "postgres", "SELECT n % DATEDIFF(hour, a, b) FROM t",
     "SELECT n % (CAST(EXTRACT(EPOCH FROM (DATE_TRUNC('HOUR', CAST(b AS TIMESTAMP)) - DATE_TRUNC('HOUR', CAST(a AS TIMESTAMP)))) AS BIGINT)"
     " / 3600) FROM t"),
    ("mysql", "trino", "SELECT DATEDIFF(a, '2026-03-01') FROM t",
     "SELECT DATE_DIFF('DAY', DATE_TRUNC('DAY', CAST('2026-03-01' AS DATE)), DATE_TRUNC('DAY', a)) FROM t"),
    ("mysql", "bigquery", "SELECT DATEDIFF('2026-03-31', '2026-03-01')",
     "SELECT DATE_DIFF(CAST('2026-03-31' AS DATE), CAST('2026-03-01' AS DATE), DAY)"),
    ("postgres", "bigquery", "SELECT DATE_TRUNC('day', a, 'Asia/Tokyo') FROM t", "SELECT TIMESTAMP_TRUNC(a, DAY, 'Asia/Tokyo') FROM t"),
    ("postgres", "snowflake", "SELECT DATE_TRUNC('day', a, 'Asia/Tokyo') FROM t", None),
    ("bigquery", "duckdb", "SELECT TIMESTAMP_TRUNC(a, DAY, 'Asia/Tokyo') FROM t", None),
    ("bigquery", "trino", "SELECT FORMAT_TIMESTAMP('%F', a, 'Asia/Tokyo') FROM t", None),
    ("bigquery", "mysql", "SELECT CURRENT_DATE('Asia/Tokyo')", None),
    ("tsql", "trino", "SELECT a AT TIME ZONE 'Tokyo Standard Time' FROM t", None),
    ("postgres", "duckdb", "SELECT a AT TIME ZONE 'Asia/Tokyo' FROM t", "SELECT a AT TIME ZONE 'Asia/Tokyo' FROM t"),
    ("spark", "postgres", "SELECT COLLECT_SET(a) FROM t", "SELECT ARRAY_AGG(DISTINCT a) FILTER(WHERE a IS NOT NULL) FROM t"),
    ("postgres", "spark", "SELECT ARRAY_AGG(a) FROM t", None),
    ("postgres", "spark", "SELECT ARRAY_AGG(a) FILTER (WHERE a IS NOT NULL) FROM t",
     "SELECT COLLECT_LIST(a) FILTER(WHERE a IS NOT NULL) FROM t"),
    ("postgres", "spark", "SELECT ARRAY_AGG(a) FROM t WHERE b > 0 AND a IS NOT NULL",
     "SELECT COLLECT_LIST(a) FROM t WHERE b > 0 AND a IS NOT NULL"),
    ("postgres", "spark", "SELECT ARRAY_AGG(a) FROM t WHERE b IS NOT NULL", None),
    ("postgres", "spark", "SELECT ARRAY_AGG(a) FROM t WHERE a IS NULL", None),
    ("postgres", "spark", "SELECT ARRAY_AGG(a) FROM t WHERE a IS NOT NULL OR b > 0", None),
    ("spark", "databricks", "SELECT FROM_UTC_TIMESTAMP(a, 'Asia/Tokyo'), CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', a) FROM t",
     "SELECT FROM_UTC_TIMESTAMP(CAST(a AS TIMESTAMP), 'Asia/Tokyo'), CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', a) FROM t"),
    ("postgres", "redshift", "SELECT a AT TIME ZONE 'Asia/Tokyo' FROM t", "SELECT a AT TIME ZONE 'Asia/Tokyo' FROM t"),
    ("postgres", "redshift", "SELECT DATE_TRUNC('day', a, 'Asia/Tokyo') FROM t", None),
    ("trino", "presto", "SELECT a AT TIME ZONE 'Asia/Tokyo' FROM t", "SELECT AT_TIMEZONE(a, 'Asia/Tokyo') FROM t"),
    ("mysql", "postgres", "SELECT CURRENT_TIME(3)", "SELECT CURRENT_TIME(3)"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "write", "sql", "same"), TRANSLATED)
def test_a_part_of_a_date_is_written_as_the_other_dialect_has_it(read: str, write: str, sql: str, same: str | None) -> None:
    """None: what can be written there means something else."""
    tree = parsed(sql, read)

    assert tree is not None
    found = translate(tree, read, write, TABLES)
    assert (found.sql if found.is_same else None) == same


def test_a_quotient_of_which_the_types_are_not_known_is_named(duck: Engine) -> None:
    found = repair("SELECT TOP 1 AVG(quantity), SUM(total) / 2 FROM items, orders", None, "duckdb", [], duck.dry_run)

    assert [change.code for change in found.changes] == ["sql_repair.dialect_unproved"]
    assert "Check `AVG(quantity)`, `SUM(total) / 2`" in text_of(found.changes[0], "en")


@pytest.mark.parametrize(
    ("broken", "change", "rows"),
    [
        ("SELECT city, COUNT(*) FROM customers GROUP BY city HAVING is_member OR city = 'Oslo'", "where", [("Oslo", 1), ("Rome", 2)]),
        ("SELECT city, COUNT(*) FROM customers GROUP BY city HAVING joined < '2026-02-01' AND COUNT(*) > 0", "where", [("Rome", 1)]),
        (
            "SELECT city, COUNT(*) FROM customers GROUP BY city ORDER BY joined",
            "grouped_for_order",
            [("Oslo", 1), ("Rome", 1), ("Rome", 1)],
        ),
    ],
)
def test_a_condition_on_rows_makes_no_other_groups(duck: Engine, broken: str, change: str, rows: object) -> None:
    """A column of HAVING joined GROUP BY, so that each customer was a group."""
    sql, changes = repaired(duck, broken)

    assert (changes, sorted(duck.run(sql))) == ([change], rows)


MENDED = [
    ("SELECT full_nme FROM customers", ["column"], "SELECT full_name FROM customers"),
    ("SELECT full_name FROM custmers", ["table"], "SELECT full_name FROM customers"),
    ("SELECT o.full_name FROM orders o JOIN customers c ON o.customer_id = c.customer_id", ["column_of"],
     "SELECT c.full_name FROM orders o JOIN customers c ON o.customer_id = c.customer_id"),
    ("SELECT customer_id FROM orders o JOIN customers c ON o.customer_id = c.customer_id", ["qualified"],
     "SELECT o.customer_id FROM orders o JOIN customers c ON o.customer_id = c.customer_id"),
    ("SELECT order_id, full_name FROM orders", ["join_added"],
     "SELECT order_id, c.full_name FROM orders JOIN customers c ON c.customer_id = orders.customer_id"),
    ("SELECT customer_id, SUM(total) FROM orders WHERE SUM(total) > 10 GROUP BY customer_id", ["having"],
     "SELECT customer_id, SUM(total) FROM orders GROUP BY customer_id HAVING SUM(total) > 10"),
    ("SELECT full_name, FROM customers", ["comma_removed"], "SELECT full_name FROM customers"),
    ("SELECT COUNT(* FROM customers", ["bracket_closed"], "SELECT COUNT(*) FROM customers"),
    ("SELECT full_name FROM customers WHERE (city = 'Rome'", ["bracket_closed"], "SELECT full_name FROM customers WHERE city = 'Rome'"),
    ("SELECT full_name FORM customers WHERE city = 'Rome'", ["keyword"], "SELECT full_name FROM customers WHERE city = 'Rome'"),
    ("SELECT city, COUNT(*) FROM customers ORDER BY 2 GROUP BY city",
     ["clause_order"], "SELECT city, COUNT(*) FROM customers GROUP BY city ORDER BY 2"),
    ("SELECT city, COUNT(*) FROM customers GROUP city", ["by_added"], "SELECT city, COUNT(*) FROM customers GROUP BY city"),
    ("SELECT full_name FROM customers WHERE city = 'Rome' WHERE is_member", ["second_where"],
     "SELECT full_name FROM customers WHERE city = 'Rome' AND is_member"),
    ("SELECT full_name FROM customers WHERE city = \u2018Rome\u2019", ["signs"], "SELECT full_name FROM customers WHERE city = 'Rome'"),
    ("```sql\nSELECT full_name FROM customers\n```", ["fence"], "SELECT full_name FROM customers"),
    ("SELECT CASE WHEN is_member THEN 1 ELSE 0 FROM customers", ["end_added"],
     "SELECT CASE WHEN is_member THEN 1 ELSE 0 END FROM customers"),
    ("SELECT inner_part.city FROM (SELECT city FROM customers)", ["alias_added"], "SELECT city FROM customers"),
    ("SELECT product FROM items JOIN orders USING (orderid)", ["column"], "SELECT product FROM items JOIN orders USING (order_id)"),
    ("SELECT COUNT_IF(is_member) FROM customers", ["function"], "SELECT SUM(is_member) FROM customers"),
    ("SELECT i.total, product FROM items i", ["join_added"],
     "SELECT orders.total, product FROM items i JOIN orders ON i.order_id = orders.order_id"),
    ("SELECT LEN(full_name) FROM customers", ["dialect"], "SELECT LENGTH(full_name) FROM customers"),
    ("SELECT c.full_name FROM customers AS cu WHERE cu.city = 'Rome'",
     ["qualifier"], "SELECT full_name FROM customers WHERE city = 'Rome'"),
    ("SELECT customers.full_name FROM customers AS cu", ["qualifier"], "SELECT full_name FROM customers"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "changes", "same_as"), MENDED)
def test_a_mistake_is_mended_and_named(sqlite: Engine, broken: str, changes: list[str], same_as: str) -> None:
    sql, found = repaired(sqlite, broken)

    assert (found, sorted(sqlite.run(sql), key=str)) == (changes, sorted(sqlite.run(same_as), key=str))


ON_DUCKDB = [
    ("SELECT city, full_name, COUNT(*) FROM customers GROUP BY city",
     ["grouped"], "SELECT city, full_name, COUNT(*) FROM customers GROUP BY city, full_name"),
    ("SELECT DATE(joined, '+1 day') FROM customers", ["dialect"], "SELECT joined + INTERVAL 1 DAY FROM customers"),
    ("SELECT IFNULL(city, 'x'), GETDATE() > '2000-01-01' FROM customers", ["dialect"], "SELECT city, TRUE FROM customers"),
    ("SELECT total * 2 AS double_total FROM orders ORDER BY double_totl", ["column"], "SELECT total * 2 FROM orders ORDER BY 1"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "changes", "same_as"), ON_DUCKDB)
def test_duckdb_is_served_too(duck: Engine, broken: str, changes: list[str], same_as: str) -> None:
    sql, found = repaired(duck, broken)

    assert (found, sorted(duck.run(sql), key=str)) == (changes, sorted(duck.run(same_as), key=str))


def test_what_need_not_change_stays_as_it_was_written(sqlite: Engine) -> None:
    broken = "select  full_nme , city -- who\nfrom customers\nwhere city != 'Rome'  and not city is null"

    assert repaired(sqlite, broken)[0] == broken.replace("full_nme", "full_name")


def test_the_edits_say_what_was_replaced(sqlite: Engine) -> None:
    found = repair("SELECT full_nme FROM customers", "no such column: full_nme", "sqlite", TABLES, sqlite.dry_run)

    assert [(edit.start, edit.before, edit.after) for edit in found.edits] == [(7, "full_nme", "full_name")]


def test_a_statement_that_runs_is_left_alone(sqlite: Engine) -> None:
    found = repair("SELECT 1", None, "sqlite", TABLES, sqlite.dry_run)

    assert (found.sql, found.changes, found.error) == ("SELECT 1", (), None)


def test_a_name_that_resembles_nothing_is_not_guessed(sqlite: Engine) -> None:
    found = repair("SELECT zodiac FROM customers", None, "sqlite", TABLES, sqlite.dry_run)

    assert found.sql is None
    assert found.lacking is not None
    assert found.lacking.code == "sql_repair.lacking.name"


def test_a_column_that_another_table_has_is_not_taken_for_one_that_looks_like_it(sqlite: Engine) -> None:
    found = repair("SELECT c.order_id FROM customers c", None, "sqlite", TABLES, sqlite.dry_run)

    assert [change.code for change in found.changes] == ["sql_repair.join_added"]


def test_a_missing_right_is_not_searched_around() -> None:
    asked: list[str] = []

    found = repair("SELECT 1 FROM t", "permission denied for table t", "postgres", [], lambda sql: asked.append(sql))

    assert (found.sql, asked) == (None, [])


def test_the_engine_is_asked_at_most_as_often_as_allowed() -> None:
    asked: list[str] = []

    def never(sql: str) -> str:
        asked.append(sql)
        return "no such column: full_nme"

    repair("SELECT full_nme, cty, totl FROM customers, orders", "no such column: full_nme", "sqlite", TABLES, never, most_dry_runs=5)

    assert len(asked) <= 5


def test_nothing_is_returned_that_the_dry_run_refuses() -> None:
    found = repair("SELECT TOP 1 x FROM t", 'near "1": syntax error', "sqlite", [], lambda sql: "no such table: t")

    assert found.sql is None
    assert found.tried


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_changed_is_said_in_the_readers_language(sqlite: Engine, language: str) -> None:
    known = {"having", "where", "group", "by", "sqlite", "mysql", "tsql", "customers", "orders", "from", "and", "case", "end", "sum"}
    for broken, _, _ in MENDED:
        for change in repair(broken, None, "sqlite", TABLES, sqlite.dry_run).changes:
            assert text_of(change, language)
            assert foreign_words(change, language, known=known) in ((), [], set())


def taken_by(engine: str) -> Callable[[str], str | None]:
    """A dry run of statements of another dialect, in translation by an engine that is at hand."""
    connection = duckdb.connect(":memory:")
    connection.execute(DDL)

    def dry_run(sql: str) -> str | None:
        text = translated(sql, engine, "duckdb", TABLES)
        try:
            connection.execute(f"EXPLAIN {text}")
        except duckdb.Error as error:
            return str(error)
        return None

    return dry_run


UNGROUPED = 'column "orders.order_id" must appear in the GROUP BY clause or be used in an aggregate function'


def test_the_latest_row_of_each_group_is_kept_and_nothing_is_grouped_by_a_key() -> None:
    """Case 16: a key in GROUP BY makes each group one row, so the maximum says nothing."""
    sql = "SELECT customer_id, order_id, MAX(ordered_at) FROM orders GROUP BY customer_id"

    found = repair(sql, UNGROUPED, "duckdb", TABLES, taken_by("duckdb"))

    assert found.sql is not None
    assert "GROUP BY" not in found.sql
    connection = duckdb.connect(":memory:")
    connection.execute(DDL)
    rows = connection.execute(found.sql).fetchall()
    assert sorted((customer, order) for customer, order, _ in rows) == [(1, 2), (2, 3)]
    assert "GROUP BY customer_id, order_id" in text_of(found.changes[0], "en"), "the other reading is named"


def test_a_key_that_joins_group_by_is_said_to_make_groups_of_one_row() -> None:
    sql = "SELECT customer_id, order_id, SUM(total) AS total, MAX(ordered_at) FROM orders GROUP BY customer_id"

    found = repair(sql, UNGROUPED, "duckdb", TABLES, taken_by("duckdb"))

    assert [change.code for change in found.changes] == ["sql_repair.grouped_by_key"]
    assert "each group has one row" in text_of(found.changes[0], "en")


@pytest.mark.parametrize(
    ("dialect", "error", "word"),
    [
        ("duckdb", "Binder Error: WHERE clause cannot contain window functions!", "QUALIFY"),
        ("postgres", "ERROR:  window functions are not allowed in WHERE", "FROM ("),
        ("sqlite", "misuse of window function ROW_NUMBER()", "FROM ("),
        ("mysql", "You cannot use the window function 'row_number' in this context.", "FROM ("),
        ("tsql", "Windowed functions can only appear in the SELECT or ORDER BY clauses.", "FROM ("),
        ("oracle", "ORA-30483: window  functions are not allowed here", "FROM ("),
    ],
)
def test_a_condition_on_a_rank_moves_behind_where(dialect: str, error: str, word: str) -> None:
    sql = (
        "SELECT customer_id, order_id, total FROM orders "
        "WHERE total > 1 AND ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY ordered_at DESC, order_id) = 1"
    )

    found = repair(sql, error, dialect, TABLES, taken_by(dialect))

    assert found.sql is not None
    assert word in " ".join(found.sql.split())
    connection = duckdb.connect(":memory:")
    connection.execute(DDL)
    rows = connection.execute(translated(found.sql, dialect, "duckdb", TABLES) or "").fetchall()
    assert sorted(row[:2] for row in rows) == [(1, 2), (2, 3)]


def test_the_alias_of_a_rank_in_where_is_a_condition_on_the_rank() -> None:
    sql = "SELECT *, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY ordered_at DESC) AS rn FROM orders WHERE rn = 1"

    found = repair(sql, 'column "rn" does not exist', "postgres", TABLES, taken_by("postgres"))

    assert [change.code for change in found.changes] == ["sql_repair.ranked_first"]


def test_the_error_of_the_given_dialect_is_mended_though_another_engine_takes_the_statement() -> None:
    """Case 16: an alias in WHERE, which DuckDB knows and Postgres does not."""
    sql = "SELECT order_id, total * 2 AS amount FROM orders WHERE amount > 100"

    found = repair(sql, 'column "amount" does not exist', "postgres", TABLES, taken_by("postgres"))

    assert found.sql is not None
    assert "total * 2 > 100" in found.sql.replace("(", "").replace(")", "")
    assert found.dialect == "postgres"


@pytest.mark.parametrize(
    ("dialect", "sql", "error", "wanted", "change"),
    [
        (
            "oracle",
            "SELECT o.order_id FROM orders AS o ORDER BY o.ordered_at LIMIT 5",
            "ORA-00933: SQL command not properly ended",
            "SELECT o.order_id FROM orders o ORDER BY o.ordered_at FETCH FIRST 5 ROWS ONLY",
            "sql_repair.as_printed",
        ),
        (
            "snowflake",
            'SELECT "order_id", total FROM orders',
            "SQL compilation error: error line 1 at position 7\ninvalid identifier '\"order_id\"'",
            "SELECT order_id, total FROM orders",
            "sql_repair.other_case",
        ),
        (
            "bigquery",
            "SELECT total, DATE_TRUNC(ordered_at, MONTH) AS month, COUNT(*) AS n FROM orders GROUP BY total ORDER BY month",
            "SELECT list expression references column ordered_at which is neither grouped nor aggregated at [1:27]",
            "SELECT total, DATE_TRUNC(ordered_at, MONTH) AS month, COUNT(*) AS n FROM orders GROUP BY total, month ORDER BY month",
            "sql_repair.grouped",
        ),
    ],
)
def test_what_only_the_given_engine_refuses_is_mended(dialect: str, sql: str, error: str, wanted: str, change: str) -> None:
    """Another engine takes each of them in translation: the message alone says what is wrong."""
    found = repair(sql, error, dialect, TABLES, taken_by(dialect), is_tried=False)

    assert found.sql == wanted
    assert [each.code for each in found.changes] == [change]


def test_a_refused_statement_is_never_its_own_mend() -> None:
    """Of a dialect whose parser takes more than its engine, a changed text came back as the statement itself."""
    found = repair("SELECT order_id FROM orders", "ORA-00933: SQL command not properly ended", "oracle", TABLES, taken_by("oracle"))

    assert found.sql != "SELECT order_id FROM orders"


def test_an_expression_of_a_column_is_grouped_by_as_a_whole() -> None:
    """A month grouped by its days is there once a day."""
    sql = "SELECT date_trunc('month', ordered_at) AS month, SUM(total) AS total FROM orders"

    found = repair(sql, 'column "orders.ordered_at" must appear in the GROUP BY clause', "duckdb", TABLES, taken_by("duckdb"))

    assert (found.sql or "").lower().endswith("group by date_trunc('month', ordered_at)")


@pytest.mark.parametrize(
    ("read", "written", "rewritten"),
    [
        ("tsql", "SELECT a + '/' + b + (c + '.'), 1 + 2 AS n FROM t", "SELECT a || '/' || b || c || '.', 1 + 2 AS n FROM t"),
        ("tsql", "SELECT 'Name: ' + (a + b), 'a' + (x - 1) FROM t", "SELECT 'Name: ' || a || b, 'a' || (x - 1) FROM t"),
        ("tsql", "SELECT 'Net: ' + (total + net) FROM t", "SELECT 'Net: ' || (total + net) FROM t"),
        ("clickhouse", "SELECT toInt32(3.7), toInt64(x), toInt32(name) FROM t",
         "SELECT CAST(TRUNC(3.7) AS INT), CAST(TRUNC(x) AS BIGINT), CAST(name AS INT) FROM t"),
        ("clickhouse", "SELECT uniqExact(a), count() FROM t", "SELECT COUNT(DISTINCT a), COUNT(*) FROM t"),
        ("clickhouse", "SELECT sumIf(a, b = 1), toYear(d) FROM t",
         "SELECT COALESCE(SUM(a) FILTER(WHERE b = 1), 0), EXTRACT(YEAR FROM d) FROM t"),
        ("oracle", "SELECT TO_CHAR(o.d, 'YYYY-MM') FROM c, o WHERE c.i = o.i(+)",
         "SELECT STRFTIME(o.d, '%Y-%m') FROM c LEFT JOIN o ON c.i = o.i"),
        ("clickhouse", "SELECT toDate(d) FROM t WHERE d < today()", "SELECT CAST(d AS DATE) FROM t WHERE d < CURRENT_DATE"),
    ],
)  # fmt: skip
def test_functions_of_another_engine_are_written_in_those_of_all(read: str, written: str, rewritten: str) -> None:
    """A sum of three texts was joined by its first sign only."""
    assert likely_dialects(written, "duckdb")[0] == read or read != "clickhouse"
    table = TableDetail(name="t", columns=(ColumnDetail(name="total", type="DECIMAL(9,2)"), ColumnDetail(name="name", type="TEXT")))
    assert translated(written, read, "duckdb", [table]) == rewritten


def test_what_the_printer_would_leave_out_is_not_offered() -> None:
    """An outer join of Oracle became an inner one, and a form of numbers was dropped, as a statement with the same meaning."""
    assert translated("SELECT TO_CHAR(n, 'FM0000') FROM t", "oracle", "duckdb", []) is None


@pytest.mark.parametrize("form", ["DD-MON-YYYY", "DY", "999MI", "FMMonth DD", "DD.MM.YY"])
def test_names_in_a_form_of_oracle_are_not_offered_where_they_differ(form: str) -> None:
    """SQLite gives nothing for them, and other engines give `Jan` for `JAN`, which no dry run notices. Postgres has Oracle's forms."""
    written = "SELECT TO_CHAR(d, 'FORM') FROM t".replace("FORM", form)

    assert translated(written, "oracle", "sqlite", []) is None
    assert translated(written, "oracle", "duckdb", []) is None
    assert translated(written, "oracle", "postgres", []) == written


def test_an_argument_that_the_engine_does_not_know_does_not_stay() -> None:
    written = "SELECT DATE_TRUNC(DATE(d), MONTH) FROM t"

    assert smallest(written, "SELECT DATE_TRUNC('MONTH', CAST(d AS DATE)) FROM t", "bigquery", "duckdb").count(",") == 1


def test_a_function_has_the_name_that_the_engine_knows() -> None:
    """The parser reads NVL in every dialect, and DuckDB has none."""
    assert smallest("SELECT NVL(a, 1) FROM t", "SELECT COALESCE(a, 1) FROM t", "oracle", "duckdb") == "SELECT COALESCE(a, 1) FROM t"


def test_a_bracket_that_closes_a_cast_stays() -> None:
    """The parser reads `CAST(d AS date >= ..` as if it closed, so the bracket was taken back."""
    repaired = "SELECT a FROM o WHERE CAST(o.d AS DATE) >= CURRENT_DATE"

    shown = smallest("SELECT a FROM o WHERE o.d::date >= CURRENT_DATE()", repaired, "snowflake", "duckdb")

    assert "CAST(o.d AS date) >= CURRENT_DATE" in shown
