"""Words below an answer that options have changed: they change its plan, or it is said that they cannot."""

from collections.abc import Iterator
from datetime import datetime

import duckdb
import pytest

from contracts.queries import QueryPlan, TimeUnit
from tests.support.opened_shop import opened_shop
from tests.support.shop import shop_tables
from workers.engines.plan_changes import Changes, PlanEditor
from workers.engines.questions import Reader
from workers.engines.questions.asked import NotAsked
from workers.engines.sql.build import build_sql
from workers.engines.worded_changes import changes_of

NOW = datetime(2026, 10, 31, 18)  # noqa: DTZ001 local time of the shop
QUESTION = "How many orders are there per channel?"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened_shop(tmp_path_factory.mktemp("shop")) as connection:
        yield connection


@pytest.fixture(scope="module")
def reader(shop: duckdb.DuckDBPyConnection) -> Reader:
    return Reader(shop_tables(shop), NOW)


def plans(reader: Reader, option: Changes, *lines: str) -> list[QueryPlan]:
    """The plans that the question has after the option and the lines below it."""
    editor = PlanEditor(reader.tables, (), week=TimeUnit.WEEK)
    found = [editor.changed(reader.read(QUESTION).readings[0].plan, option)]
    for line in lines:
        assert reader.is_change(line), line
        made = [editor.changed(plan, changes) for plan in found for changes in read(reader, line, plan)]
        found = [plan for place, plan in enumerate(made) if plan not in made[:place]]
    return found


def read(reader: Reader, line: str, plan: QueryPlan) -> Iterator[Changes]:
    for worded in reader.worded_changes(line):
        try:
            yield changes_of(worded, plan)
        except NotAsked:
            continue


MONTHLY = "SELECT date_trunc('month', ordered_at)::DATE, count(*) FROM orders"


@pytest.mark.parametrize(
    ("option", "lines", "sql"),
    [
        (Changes(by=("month",)), ("only app",), f"{MONTHLY} WHERE channel = 'app' GROUP BY 1"),
        (Changes(by=("month",)), ("只看app",), f"{MONTHLY} WHERE channel = 'app' GROUP BY 1"),
        (Changes(by=("month",)), ("only app", "and web"), f"{MONTHLY} WHERE channel IN ('app', 'web') GROUP BY 1"),
        (Changes(by=("month",)), ("and in 2025?",), f"{MONTHLY} WHERE year(ordered_at) = 2025 GROUP BY 1"),
        (Changes(by=("month",)), ("and in 2025?", "in 2026"), f"{MONTHLY} WHERE year(ordered_at) = 2026 GROUP BY 1"),
        (Changes(where=("status=failed",)), ("per month",), f"{MONTHLY} WHERE status = 'failed' GROUP BY 1"),
        (Changes(where=("status=failed",)), ("top 2",), "SELECT channel, count(*) FROM orders WHERE status = 'failed' GROUP BY 1 ORDER BY 2 DESC LIMIT 2"),  # noqa: E501 a statement a line
        (
            Changes(by=("status",)), ("also by month",),
            "SELECT status, date_trunc('month', ordered_at)::DATE, count(*) FROM orders GROUP BY 1, 2",
        ),
        (Changes(by=("month",)), ("not app",), f"{MONTHLY} WHERE channel <> 'app' GROUP BY 1"),
    ],
)  # fmt: skip
def test_words_change_the_plan_that_options_made(
    option: Changes, lines: tuple[str, ...], sql: str, reader: Reader, shop: duckdb.DuckDBPyConnection
) -> None:
    (plan,) = plans(reader, option, *lines)

    assert sorted(shop.execute(build_sql(plan, reader.tables, "duckdb")).fetchall()) == sorted(shop.execute(sql).fetchall())


@pytest.mark.parametrize("line", ["without payments", "revenue", "and with more than 3 payments", "highest first"])
def test_what_no_option_says_is_not_changed(line: str, reader: Reader) -> None:
    plan = reader.read(QUESTION).readings[0].plan

    assert list(read(reader, line, plan)) == []
