"""Questions about the sample shop, in English and Chinese, that are read without a model: what is answered is right."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.queries import QueryPlan
from contracts.questions import ConfirmedExample, Verdict
from contracts.statements import Statement
from tests.support.campaign import TIMES
from tests.support.opened_shop import opened_shop
from tests.support.said import said
from tests.support.shop import shop_tables
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql
from workers.engines.sql.plan_check import plan_problems

NOW = datetime(2026, 10, 31, 18)  # noqa: DTZ001 local time of the shop

DEFINED = "revenue = total quantity * unit price of completed orders"
"""The metric of the shop, as a catalogue has it."""
REVENUE = "FROM order_items JOIN orders USING (order_id) JOIN products USING (product_id) WHERE status = 'completed'"
ANSWERS = {
    "How many customers in the north region are there?": "SELECT count(*) FROM customers WHERE region = 'north'",
    "How many customers are there?": "SELECT count(*) FROM customers",
    "How many customers are there in each region?": "SELECT region, count(*) FROM customers GROUP BY region",
    "How many orders were placed in March 2026?": "SELECT count(*) FROM orders WHERE ordered_at::DATE BETWEEN '2026-03-01' AND '2026-03-31'",  # noqa: E501 a question a line
    "How many orders failed?": "SELECT count(*) FROM orders WHERE status = 'failed'",
    "What is the total revenue in 2025?": f"SELECT sum(quantity * unit_price) {REVENUE} AND year(ordered_at) = 2025",
    "What is the revenue by category?": f"SELECT category, sum(quantity * unit_price) {REVENUE} GROUP BY category",
    "Which category has the highest revenue?": (
        f"SELECT category, sum(quantity * unit_price) AS total {REVENUE} GROUP BY category ORDER BY total DESC LIMIT 1"
    ),
    "Top 5 products by revenue": (
        f"SELECT name, sum(quantity * unit_price) AS total {REVENUE} GROUP BY product_id, name ORDER BY total DESC LIMIT 5"
    ),
    "What is the revenue per month in 2026?": (
        f"SELECT date_trunc('month', ordered_at)::DATE, sum(quantity * unit_price) {REVENUE} AND year(ordered_at) = 2026 GROUP BY 1"
    ),
    "What is the average price of the products in each category?": "SELECT category, avg(price) FROM products GROUP BY category",
    "How many orders were placed per channel last month?": (
        "SELECT channel, count(*) FROM orders WHERE ordered_at >= '2026-09-01' AND ordered_at < '2026-10-01' GROUP BY channel"
    ),
    "Which customers signed up in September 2026?": "SELECT name FROM customers WHERE signed_up BETWEEN '2026-09-01' AND '2026-09-30'",
    "List the products in the category shoes with a price above 100": "SELECT name FROM products WHERE category = 'shoes' AND price > 100",
    "What is the share of orders that failed?": "SELECT avg(CASE WHEN status = 'failed' THEN 1.0 ELSE 0 END) FROM orders",
    "What percentage of orders are from the app?": "SELECT 100 * avg(CASE WHEN channel = 'app' THEN 1.0 ELSE 0 END) FROM orders",
    "What is the total refund in Q3 2026?": "SELECT sum(refund) FROM returns WHERE returned_at >= '2026-07-01' AND returned_at < '2026-10-01'",  # noqa: E501 a question a line
    "Which customers have no orders?": "SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
    "Customers with more than 60 orders": (
        "SELECT name FROM customers JOIN orders USING (customer_id) GROUP BY customer_id, name HAVING count(*) > 60"
    ),
    "total amount by customer": (
        "SELECT name, sum(amount) FROM customers JOIN orders USING (customer_id) JOIN payments USING (order_id) GROUP BY customer_id, name"
    ),
    "What are the top 3 products by number of returns?": (
        "SELECT name, count(*) AS n FROM returns JOIN order_items USING (order_id, line) JOIN products USING (product_id) "
        "GROUP BY product_id, name ORDER BY n DESC LIMIT 3"
    ),
    "Which product has the highest price?": "SELECT name, price FROM products ORDER BY price DESC LIMIT 1",
    "有多少客户？": "SELECT count(*) FROM customers",
    "每个地区有多少客户？": "SELECT region, count(*) FROM customers GROUP BY region",
    "2026年3月有多少订单？": "SELECT count(*) FROM orders WHERE ordered_at >= '2026-03-01' AND ordered_at < '2026-04-01'",
    "2025年的收入是多少？": f"SELECT sum(quantity * unit_price) {REVENUE} AND year(ordered_at) = 2025",
    "2026年每月的收入是多少？": (
        f"SELECT date_trunc('month', ordered_at)::DATE, sum(quantity * unit_price) {REVENUE} AND year(ordered_at) = 2026 GROUP BY 1"
    ),
    "按类别统计收入": f"SELECT category, sum(quantity * unit_price) {REVENUE} GROUP BY category",
    "收入最高的5个产品是哪些？": (
        f"SELECT name, sum(quantity * unit_price) AS total {REVENUE} GROUP BY product_id, name ORDER BY total DESC LIMIT 5"
    ),
    "每个类别的产品平均价格是多少？": "SELECT category, avg(price) FROM products GROUP BY category",
    "上个月各渠道的订单数量": (
        "SELECT channel, count(*) FROM orders WHERE ordered_at >= '2026-09-01' AND ordered_at < '2026-10-01' GROUP BY channel"
    ),
    "2026年9月注册的客户有哪些？": "SELECT name FROM customers WHERE signed_up BETWEEN '2026-09-01' AND '2026-09-30'",
    "鞋类产品中价格高于100的有哪些？": "SELECT name FROM products WHERE category = 'shoes' AND price > 100",
    "失败的订单有多少？": "SELECT count(*) FROM orders WHERE status = 'failed'",
    "各支付方式的平均金额是多少？": "SELECT method, avg(amount) FROM payments GROUP BY method",
    "每种退货原因有多少退货？": "SELECT reason, count(*) FROM returns GROUP BY reason",
    "2026年第三季度的退款总额是多少？": "SELECT sum(refund) FROM returns WHERE returned_at >= '2026-07-01' AND returned_at < '2026-10-01'",
    "没有订单的客户有多少？": "SELECT count(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
    "价格最高的5款产品": "SELECT name, price FROM products ORDER BY price DESC LIMIT 5",
    "订单最多的5户客户": (
        "SELECT name, count(*) AS n FROM orders JOIN customers USING (customer_id) GROUP BY customer_id, name ORDER BY n DESC LIMIT 5"
    ),
    "价格最高的产品是哪个？": "SELECT name, price FROM products ORDER BY price DESC LIMIT 1",
    "北区有多少订单？": "SELECT count(*) FROM orders JOIN customers USING (customer_id) WHERE region = 'north'",
    "失败订单的占比是多少？": "SELECT avg(CASE WHEN status = 'failed' THEN 1.0 ELSE 0 END) FROM orders",
    "最近7天每天有多少订单？": "SELECT ordered_at::DATE, count(*) FROM orders WHERE ordered_at >= '2026-10-25' GROUP BY 1",
}
"""Half of the questions are Chinese. What may never happen is a wrong answer."""

NO_ANSWERS = {
    "How many living customers have no orders?": "living",
    "How satisfied are our customers?": "satisfied",
    "What was the profit last year?": "profit",
    "How many orders did we ship by drone?": "drone",
    "What is the weather in the north region?": "weather",
    "Which suppliers deliver the shoes?": "suppliers",
    "客户满意度怎么样？": "满意度",
    "去年的利润是多少？": "利润",
    "哪些供应商交货最慢？": "慢",
    "How many customers living in the north region are there?": "living",
    "How many customers did not order in 2026?": "did",
    "What is the most expensive product?": "expensive",
    "最贵的产品是哪个？": "最贵",
}  # fmt: skip
"""Questions with a word that nothing in the catalogue or the grammar accounts for, and the word."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened_shop(tmp_path_factory.mktemp("shop")) as connection:
        yield connection


@pytest.fixture(scope="module")
def reader(shop: duckdb.DuckDBPyConnection) -> Reader:
    return Reader(shop_tables(shop), NOW, definitions=[DEFINED])


def rows(shop: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[str, ...]]:
    return sorted(tuple(_cell(value) for value in row) for row in shop.execute(sql).fetchall())


def _cell(value: Any) -> str:
    return str(value) if isinstance(value, str) or hasattr(value, "year") else f"{float(value):.4f}"


def answer(reader: Reader, shop: duckdb.DuckDBPyConnection, plan: QueryPlan) -> list[tuple[str, ...]]:
    return rows(shop, build_sql(plan, shop_tables(shop), "duckdb"))


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_of_the_shop_is_answered_right(question: str, reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    reading = reader.read(question)

    assert reading.verdict == Verdict.ANSWERED, (reading.unplaced, [said(remark, "en") for remark in reading.remarks])
    assert answer(reader, shop, reading.readings[0].plan) == rows(shop, ANSWERS[question])


@pytest.mark.parametrize("question", NO_ANSWERS)
def test_a_question_that_the_shop_cannot_answer_names_the_word_that_has_no_place(question: str, reader: Reader) -> None:
    reading = reader.read(question)

    assert reading.verdict == Verdict.UNPLACED
    assert any(NO_ANSWERS[question] in word for word in reading.unplaced), reading.unplaced


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("question", ANSWERS)
def test_what_was_understood_is_said_in_every_language(question: str, language: str, reader: Reader) -> None:
    (reading,) = reader.read(question).readings

    texts = [said(statement, language) for statement in reading.understood]
    assert len(texts) >= 2
    assert not any("{" in text or "‹" in text or "queries." in text for text in texts)


def test_the_reading_names_tables_conditions_time_and_groups(reader: Reader) -> None:
    (reading,) = reader.read("How many orders failed per channel in March 2026?").readings

    assert [said(statement, "en") for statement in reading.understood] == [
        "Tables: orders.",
        "Shown: orders.channel, number of rows.",
        "Only rows for which orders.status is “failed”.",
        "Time: orders.ordered_at from 2026-03-01 until before 2026-04-01.",
        "Grouped by orders.channel.",
    ]


def test_a_vague_time_is_asked_about(reader: Reader) -> None:
    reading = reader.read("How many orders were placed recently?")

    assert reading.verdict == Verdict.UNPLACED
    assert codes(reading.remarks) == ["questions.remark.vague_time"]


def test_a_value_that_the_data_do_not_have_is_named(shop: duckdb.DuckDBPyConnection) -> None:
    reader = Reader(shop_tables(shop), NOW, look_up=lambda text: [])

    reading = reader.read('How many customers are named "Nobody Atall"?')

    assert codes(reading.remarks) == ["questions.remark.no_such_value"]


@pytest.mark.parametrize(
    "question",
    [
        "How many payments and returns were there in 2026?",
        "How many customers signed up in 2025 and 2026?",
        "Which customers placed their first order in 2026?",
        "What is the revenue of the top 3 customers?",
        "What is the number of orders without failed payments?",
        "客户数量和订单数量",
        "2026年没有下单的客户有多少？",
        "2026年有多少客户下单？",
        "Which customer has the fewest orders?",
        "Customers with at most 3 orders",
    ],
)
def test_a_question_that_could_be_read_wrongly_is_not_answered(question: str, reader: Reader) -> None:
    assert reader.read(question).verdict == Verdict.UNPLACED


def test_a_question_with_two_times_is_shown_in_two_readings(reader: Reader) -> None:
    reading = reader.read("How many customers placed orders in 2026?")

    assert reading.verdict == Verdict.AMBIGUOUS
    assert {found.plan.periods[0].column for found in reading.readings} == {"customers.signed_up", "orders.ordered_at"}


def test_a_definition_is_a_measure(shop: duckdb.DuckDBPyConnection) -> None:
    """A formula may use another. A sentence that is no formula is asked about by name."""
    formulas = ["ARF = average refund", "AOV = revenue / number of completed orders", DEFINED, "mood = how glad people are"]
    reader = Reader(shop_tables(shop), NOW, definitions=formulas)
    refund = reader.read("What is the ARF for each reason?")

    assert answer(reader, shop, refund.readings[0].plan) == rows(shop, "SELECT reason, avg(refund) FROM returns GROUP BY reason")
    assert reader.read("What is the AOV?").verdict == Verdict.UNPLACED
    assert codes(reader.read("What is the mood per channel?").remarks) == ["questions.remark.no_definition"]


def test_a_confirmed_question_answers_its_like_also_in_another_time(reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    """The plan is the one that was confirmed, though the words alone would not say so."""
    question = "How satisfied were customers in the app in March 2026?"
    (like,) = reader.read("How many orders were from the app in March 2026?").readings
    example = ConfirmedExample(question=question, plan=like.plan)

    same = reader.read(question.lower(), examples=[example])
    later = reader.read("How satisfied were customers in the app in April 2026?", examples=[example])
    other = reader.read("How satisfied were customers in the web in March 2026?", examples=[example])

    assert codes(same.remarks) == codes(later.remarks) == ["questions.remark.example"]
    assert same.readings[0].plan == like.plan
    expected = "SELECT count(*) FROM orders WHERE channel = 'app' AND ordered_at >= '2026-04-01' AND ordered_at < '2026-05-01'"
    assert answer(reader, shop, later.readings[0].plan) == rows(shop, expected)
    assert other.verdict == Verdict.UNPLACED


@pytest.mark.parametrize("below", ["only app\nby month", "in the app\nper month", "只看app\n按月"])
def test_lines_below_a_question_change_it(below: str, reader: Reader, shop: duckdb.DuckDBPyConnection) -> None:
    reading = reader.read(f"How many orders per channel?\n{below}")

    expected = "SELECT date_trunc('month', ordered_at)::DATE, count(*) FROM orders WHERE channel = 'app' GROUP BY 1"
    assert answer(reader, shop, reading.readings[0].plan) == rows(shop, expected)


def test_words_of_a_question_are_never_sql(reader: Reader) -> None:
    for question in ("How many orders'; DROP TABLE orders; --", 'customers named "x\' OR 1=1 --"', "{0} %s orders", "SELECT * FROM orders"):
        for reading in reader.read(question).readings:
            assert "DROP" not in build_sql(reading.plan, reader.tables, "duckdb").upper()


def codes(statements: tuple[Statement, ...]) -> list[str]:
    return [statement.code for statement in statements]


_ENGLISH = "average total orders customers returns products revenue price region channel per by each most highest top 3 above not and or"
_OTHERS = "without shoes failed , . ? between descending named first list return month who with unknown to"
_CHINESE = "多少 客户 订单 收入 最高的 每个 各 按 地区 三个 和 或 没有 2026年 高于 100 之比 排序 从高到低 的 是 平均 总额 占比 前"
_PHRASES = (
    "how many",
    "what is the",
    "in 2026",
    "last month",
    "\n",
    "ordered by",
    "percentage of",
    '"Tent"',
    "（web）",
    "\nalso by",
    "\n只看",
)
_PIECES = [*_ENGLISH.split(), *_OTHERS.split(), *_CHINESE.split(), *_PHRASES]


@given(st.lists(st.sampled_from(_PIECES), max_size=9), st.sampled_from(["", " "]))
@settings(max_examples=120 * TIMES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_are_read_without_an_error_and_every_plan_becomes_sql(reader: Reader, words: list[str], space: str) -> None:
    reading = reader.read(space.join(words))

    assert 0 <= reading.answerable <= 1
    for found in reading.readings:
        assert plan_problems(found.plan, reader.tables) == ()
        assert build_sql(found.plan, reader.tables, "duckdb")
