"""What `--where`, `--by` and `--top` make of a plan over the sample shop: conditions of one message hold together, figures stay."""

from collections.abc import Iterator
from datetime import datetime

import duckdb
import pytest

from contracts.queries import QueryPlan, TimeUnit
from tests.support.opened_shop import opened_shop
from tests.support.shop import shop_tables
from workers.engines.plan_changes import Changes, NotChanged, PlanEditor
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql

NOW = datetime(2026, 10, 31, 18)  # noqa: DTZ001 local time of the shop
SHARE = "What is the share of orders that failed?"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened_shop(tmp_path_factory.mktemp("shop")) as connection:
        yield connection


def changed(shop: duckdb.DuckDBPyConnection, question: str, *changes: Changes) -> QueryPlan:
    """The plan of a question with the changes of some messages, one after the other."""
    tables = shop_tables(shop)
    (reading,) = Reader(tables, NOW, definitions=["revenue = total quantity * unit price of completed orders"]).read(question).readings
    plan, editor = reading.plan, PlanEditor(tables, (), week=TimeUnit.WEEK)
    for each in changes:
        plan = editor.changed(plan, each)
    return plan


def figures(shop: duckdb.DuckDBPyConnection, plan: QueryPlan) -> list[tuple[object, ...]]:
    return sorted(shop.execute(build_sql(plan, shop_tables(shop), "duckdb")).fetchall())


@pytest.mark.parametrize(
    ("question", "where", "sql"),
    [
        (
            "how many orders per channel?", ("ordered_at>=2026-03", "ordered_at<2026-06"),
            "SELECT channel, count(*) FROM orders WHERE ordered_at >= '2026-03-01' AND ordered_at < '2026-06-01' GROUP BY channel",
        ),
        (
            "number of payments with amount above 50", ("amount>=100", "amount<200"),
            "SELECT count(*) FROM payments WHERE amount >= 100 AND amount < 200",
        ),
        (
            "how many orders per channel?", ("status!=failed", "status!=completed"),
            "SELECT channel, count(*) FROM orders WHERE status NOT IN ('failed', 'completed') GROUP BY channel",
        ),
    ],
)  # fmt: skip
def test_the_conditions_of_one_message_hold_together(
    question: str, where: tuple[str, ...], sql: str, shop: duckdb.DuckDBPyConnection
) -> None:
    assert figures(shop, changed(shop, question, Changes(where=where))) == sorted(shop.execute(sql).fetchall())


def test_the_conditions_of_a_message_are_in_the_place_of_those_before(shop: duckdb.DuckDBPyConnection) -> None:
    first, second = Changes(where=("ordered_at>=2026-03", "ordered_at<2026-06")), Changes(where=("ordered_at=2025",))

    (period,) = changed(shop, "how many orders per channel?", first, second).periods

    assert (str(period.start), str(period.end)) == ("2025-01-01", "2026-01-01")


@pytest.mark.parametrize(
    ("question", "changes", "code"),
    [
        (SHARE, Changes(where=("status=completed",)), "questions.change.in_figure"),
        (SHARE, Changes(where=("status=*",)), "questions.change.in_figure"),
        ("how many orders per channel?", Changes(where=("status=failed", "status=completed")), "questions.change.two_values"),
        ("number of customers", Changes(by=("hour",)), "queries.problem.only_days"),
    ],
)
def test_what_would_be_another_figure_or_none_is_refused(
    question: str, changes: Changes, code: str, shop: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(NotChanged) as refused:
        changed(shop, question, changes)

    assert refused.value.reason.code == code


@pytest.mark.parametrize(
    ("question", "where", "column"),
    [
        ("total amount of payments by method", ("customers.signed_up>=2025",), "payments.paid_at"),
        ("total amount of payments by method", ("orders.ordered_at=2026",), "payments.paid_at"),
        ("revenue by category", ("customers.signed_up>=2025",), "orders.ordered_at"),
        ("revenue by category", ("ordered_at=2026",), "orders.ordered_at"),
        ("how many orders per channel?", ("customers.signed_up>=2025",), "orders.ordered_at"),
    ],
)
def test_months_are_those_of_what_is_counted_and_not_of_a_condition(
    question: str, where: tuple[str, ...], column: str, shop: duckdb.DuckDBPyConnection
) -> None:
    together = changed(shop, question, Changes(where=where, by=("month",)))
    apart = changed(shop, question, Changes(where=where), Changes(by=("month",)))

    assert [group.column for group in together.group_by] == [group.column for group in apart.group_by] == [column]
