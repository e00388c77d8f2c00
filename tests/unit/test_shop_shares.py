"""Shares, rankings and bare things of the sample shop: what has two readings is asked about, and nothing else is answered in its place."""

from collections.abc import Iterator
from datetime import datetime

import duckdb
import pytest

from contracts.questions import Verdict
from tests.support.opened_shop import opened_shop
from tests.support.shop import shop_tables
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql

NOW = datetime(2026, 10, 31, 18)  # noqa: DTZ001 local time of the shop
REVENUE = "revenue = total quantity * unit price of completed orders"

OF_APP = "SELECT avg(CASE WHEN status = 'failed' THEN 1.0 ELSE 0 END) FROM orders WHERE channel = 'app'"
PER_CHANNEL = "SELECT channel, avg(CASE WHEN status = 'failed' THEN 1.0 ELSE 0 END) FROM orders GROUP BY channel"
OF_WEB = OF_APP.replace("app", "web")
APP_OF_FAILED = "SELECT avg(CASE WHEN channel = 'app' THEN 1.0 ELSE 0 END) FROM orders WHERE status = 'failed'"
OF_ALL = "SELECT avg(CASE WHEN status = 'failed' AND channel = 'app' THEN 1.0 ELSE 0 END) FROM orders"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened_shop(tmp_path_factory.mktemp("shop")) as connection:
        yield connection


@pytest.fixture(scope="module")
def reader(shop: duckdb.DuckDBPyConnection) -> Reader:
    return Reader(shop_tables(shop), NOW, definitions=[REVENUE])


def figures(shop: duckdb.DuckDBPyConnection, reader: Reader, question: str) -> tuple[Verdict, list[list[tuple[object, ...]]]]:
    """The verdict, and the rows of each reading, decimals rounded."""
    read = reader.read(question)
    return read.verdict, [rows(shop, build_sql(found.plan, reader.tables, "duckdb")) for found in read.readings]


def rows(shop: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    found = shop.execute(sql).fetchall()
    return sorted((tuple(cell if isinstance(cell, str) else round(float(cell), 6) for cell in row) for row in found), key=str)


@pytest.mark.parametrize(
    ("question", "readings"),
    [
        ("share of failed orders from the app", [OF_APP, OF_ALL]),
        ("网页渠道失败订单的占比是多少？", [OF_WEB, OF_ALL.replace("app", "web"), APP_OF_FAILED.replace("app", "web")]),
        ("What is the share of orders from the app that failed?", [OF_APP, APP_OF_FAILED, OF_ALL]),
        (
            "share of orders per channel in the north region",
            [
                "SELECT channel, avg(CASE WHEN region = 'north' THEN 1.0 ELSE 0 END) FROM orders JOIN customers USING (customer_id) GROUP BY 1",  # noqa: E501 a statement a line
                "SELECT channel, count(*) / sum(count(*)) OVER () FROM orders JOIN customers USING (customer_id) WHERE region = 'north' GROUP BY 1",  # noqa: E501 a statement a line
            ],
        ),
    ],
)
def test_a_share_with_conditions_on_two_columns_is_asked_about(
    question: str, readings: list[str], reader: Reader, shop: duckdb.DuckDBPyConnection
) -> None:
    verdict, found = figures(shop, reader, question)

    assert verdict == Verdict.AMBIGUOUS
    assert found == [rows(shop, sql) for sql in readings]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("share of failed orders\nonly app", OF_APP),
        ("失败订单的占比是多少？\n只看app", OF_APP),
        ("What is the share of orders that failed?\nonly app", OF_APP),
        ("share of failed orders\nonly completed", "SELECT avg(CASE WHEN status = 'completed' THEN 1.0 ELSE 0 END) FROM orders"),
        (
            "share of orders per channel\nonly completed",
            "SELECT channel, count(*) / sum(count(*)) OVER () FROM orders WHERE status = 'completed' GROUP BY 1",
        ),
        ("share of failed orders in 2025", OF_APP.replace("channel = 'app'", "year(ordered_at) = 2025")),
        ("share of failed orders per channel", OF_APP.replace("SELECT", "SELECT channel,").partition("WHERE channel")[0] + "GROUP BY 1"),
        (
            "share of orders that failed per channel",
            OF_APP.replace("SELECT", "SELECT channel,").partition("WHERE channel")[0] + "GROUP BY 1",
        ),
        (
            "number of orders and share of failed orders",
            "SELECT count(*), avg(CASE WHEN status = 'failed' THEN 1.0 ELSE 0 END) FROM orders",
        ),
    ],
)
def test_what_a_message_adds_to_a_share_is_of_all_that_it_is_a_part_of(
    question: str, sql: str, reader: Reader, shop: duckdb.DuckDBPyConnection
) -> None:
    verdict, found = figures(shop, reader, question)

    assert (verdict, found) == (Verdict.ANSWERED, [rows(shop, sql)])


@pytest.mark.parametrize(
    "question",
    [
        "number of orders and share of orders from the app",
        "number of failed orders and share of orders from the app",
        "share of failed orders and share of orders from the app",
        "share of failed orders without payments",
        "share of failed orders from the app of customers in the north region and with payment method card",
    ],
)
def test_a_share_whose_parts_are_not_clear_is_not_answered(question: str, reader: Reader) -> None:
    assert reader.read(question).verdict != Verdict.ANSWERED


@pytest.mark.parametrize(
    "question",
    [
        "top 3 products by revenue per region",
        "每个地区收入最高的3个产品",
        "top 3 products by revenue per month",
        "top 5 products by revenue\nby quantity",
        "top 5 products by revenue\nper month",
        "Which product has the highest price per category?",
        "Which region has the highest revenue per month?",
    ],
)
def test_the_first_of_each_group_are_not_the_first_of_all(question: str, reader: Reader) -> None:
    read = reader.read(question)

    assert read.verdict == Verdict.UNPLACED
    assert [remark.code for remark in read.remarks] == ["questions.remark.of_each"]


def test_the_first_groups_of_two_columns_are_read(reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT channel, status, count(*) FROM orders GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 3"

    assert figures(shop, reader, "number of orders per channel and status\ntop 3") == (Verdict.ANSWERED, [rows(shop, sql)])


def test_days_have_no_hours(reader: Reader) -> None:
    read = reader.read("number of customers per hour")

    assert read.verdict == Verdict.UNPLACED
    assert [remark.code for remark in read.remarks] == ["queries.problem.only_days"]
    assert reader.read("number of orders per hour").verdict == Verdict.ANSWERED


def test_things_without_others_are_a_question(reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)"

    assert figures(shop, reader, "customers without orders") == (Verdict.ANSWERED, [rows(shop, sql)])


def test_a_condition_beside_that_of_a_formula_is_not_dropped_into_nothing(reader: Reader) -> None:
    """Revenue is that of completed orders, so that there is none of failed ones."""
    assert reader.read("revenue of failed orders").verdict == Verdict.UNPLACED
    assert reader.read("revenue per channel\nonly failed").verdict == Verdict.UNPLACED
    assert reader.read("revenue of completed orders").verdict == Verdict.ANSWERED
