"""Several values of a column in a question: `web and app`, 鞋类和露营类, `neither web nor app`."""

from collections.abc import Iterator
from datetime import datetime

import duckdb
import pytest

from contracts.queries import Operator
from contracts.questions import Verdict
from tests.support.opened_shop import opened_shop
from tests.support.said import said
from tests.support.shop import shop_tables
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql

NOW = datetime(2026, 10, 31, 18)  # noqa: DTZ001 local time of the shop

LINES = "FROM order_items JOIN orders USING (order_id) JOIN products USING (product_id)"
ANSWERS = {
    "How many orders were from web and app?": "SELECT count(*) FROM orders WHERE channel IN ('web', 'app')",
    "How many web and app orders were there in March 2026?": (
        "SELECT count(*) FROM orders WHERE channel IN ('web', 'app') AND ordered_at >= '2026-03-01' AND ordered_at < '2026-04-01'"
    ),
    "How many orders are there per month in 2026, only web and app?": (
        "SELECT date_trunc('month', ordered_at)::DATE, count(*) FROM orders WHERE channel IN ('web', 'app') "
        "AND ordered_at >= '2026-01-01' AND ordered_at < '2027-01-01' GROUP BY 1"
    ),
    "How many orders of shoes and camping are there?": (f"SELECT count(DISTINCT order_id) {LINES} WHERE category IN ('shoes', 'camping')"),
    "What is the average price of shoes, camping and clothing?": (
        "SELECT avg(price) FROM products WHERE category IN ('shoes', 'camping', 'clothing')"
    ),
    "How many customers are in the regions north and south?": "SELECT count(*) FROM customers WHERE region IN ('north', 'south')",
    "How many orders came neither from the web nor from the app?": "SELECT count(*) FROM orders WHERE channel NOT IN ('web', 'app')",
    "How many orders except web and app orders are there?": "SELECT count(*) FROM orders WHERE channel NOT IN ('web', 'app')",
    "How many web orders and app orders are there?": "SELECT count(*) FROM orders WHERE channel IN ('web', 'app')",
    "How many failed orders are from web and app?": ("SELECT count(*) FROM orders WHERE status = 'failed' AND channel IN ('web', 'app')"),
    "How many orders are failed and from the app?": "SELECT count(*) FROM orders WHERE status = 'failed' AND channel = 'app'",
    "What is the share of web and app orders?": "SELECT avg(CASE WHEN channel IN ('web', 'app') THEN 1.0 ELSE 0 END) FROM orders",
    "网页和应用的订单有多少？": "SELECT count(*) FROM orders WHERE channel IN ('web', 'app')",
    "鞋类、露营类和服装的平均价格是多少？": "SELECT avg(price) FROM products WHERE category IN ('shoes', 'camping', 'clothing')",
    "2026年每月的订单数，只看网页和应用": (
        "SELECT date_trunc('month', ordered_at)::DATE, count(*) FROM orders WHERE channel IN ('web', 'app') "
        "AND ordered_at >= '2026-01-01' AND ordered_at < '2027-01-01' GROUP BY 1"
    ),
    "北部或南部的客户有多少？": "SELECT count(*) FROM customers WHERE region IN ('north', 'south')",
    "除了网页和应用的订单有多少？": "SELECT count(*) FROM orders WHERE channel NOT IN ('web', 'app')",
    "既不是网页也不是应用的订单有多少？": "SELECT count(*) FROM orders WHERE channel NOT IN ('web', 'app')",
    "失败的网页订单有多少？": "SELECT count(*) FROM orders WHERE status = 'failed' AND channel = 'web'",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened_shop(tmp_path_factory.mktemp("shop")) as connection:
        yield connection


@pytest.fixture(scope="module")
def reader(shop: duckdb.DuckDBPyConnection) -> Reader:
    return Reader(shop_tables(shop), NOW)


def rows(shop: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[str, ...]]:
    return sorted(tuple(str(value) for value in row) for row in shop.execute(sql).fetchall())


@pytest.mark.parametrize("question", ANSWERS)
def test_a_list_of_values_is_read(question: str, reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    reading = reader.read(question)

    assert reading.verdict == Verdict.ANSWERED, (reading.unplaced, [said(remark, "en") for remark in reading.remarks])
    statement = build_sql(reading.readings[0].plan, shop_tables(shop), "duckdb")
    assert rows(shop, statement) == rows(shop, ANSWERS[question])


def test_the_reading_says_that_either_value_counts(reader: Reader) -> None:
    (reading,) = reader.read("How many orders were from web and app?").readings

    assert reading.plan.filters[0].operator is Operator.IN
    assert any("orders.channel is any of “web”, “app”" in said(statement, "en") for statement in reading.understood)


@pytest.mark.parametrize(
    "question",
    ["Which customers bought shoes and camping?", "How many customers with orders of both shoes and camping are there?",
     "有鞋类和露营类订单的客户有哪些？"],
)  # fmt: skip
def test_a_list_that_may_mean_all_of_the_values_is_not_answered_as_any_of_them(question: str, reader: Reader) -> None:
    reading = reader.read(question)

    assert reading.verdict is not Verdict.ANSWERED


def test_a_comparison_gives_a_figure_for_each_value(reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    (reading,) = reader.read("Compare the number of orders from web and app").readings

    statement = build_sql(reading.plan, shop_tables(shop), "duckdb")
    assert rows(shop, statement) == rows(shop, "SELECT channel, count(*) FROM orders WHERE channel IN ('web', 'app') GROUP BY 1")


@pytest.mark.parametrize(
    "question",
    ["How many orders were not failed and from the web?", "How many orders between web and app?", "网页和失败以外的订单有多少？"],
)
def test_values_whose_connection_is_open_are_not_guessed(question: str, reader: Reader) -> None:
    assert reader.read(question).verdict is not Verdict.ANSWERED
