"""What is said and drawn of a result's times: months that are not over, gaps, cycles by their time, and shares only of what adds up."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.charts import Chart
from contracts.findings import FindingKind
from contracts.queries import Aggregate, Measure, QueryPlan, Relation, Selected, Source, TimeUnit
from tests.support.said import said
from workers.engines.results.charts import chart_of
from workers.engines.results.findings import adds_up, findings_of
from workers.engines.results.periods import Extent, partial_times, whole_rows
from workers.engines.results.table import Cell, Grain, ResultTable, series_grain
from workers.kinds.ask.work.execution import added_up, extent_of

NOW = datetime(2026, 11, 3, tzinfo=UTC)
MONTHS = ("month", "n")
TO_NOW = Extent(until=datetime(2026, 11, 3))  # noqa: DTZ001 local time of a source
FLOOR: Any = SimpleNamespace(now=NOW, dialect=str, tables=lambda source: (), every=lambda source: ())  # pyright: ignore[reportUnknownLambdaType]


def drawn(names: Sequence[str], rows: Sequence[Sequence[Cell]], **wanted: Any) -> Chart:
    made = chart_of(names, rows, **wanted)
    assert made is not None
    return made


def partial(times: Sequence[str], extent: Extent) -> set[str]:
    return {f"{moment:%Y-%m-%d}" for moment in partial_times(ResultTable(MONTHS, tuple((time, 1) for time in times)), extent)}


@pytest.mark.parametrize(
    ("times", "found"),
    [
        (("2026-10-01", "2026-11-01"), {"2026-11-01"}),
        (("2026-09-01", "2026-10-01"), set[str]()),
        (("2026-01-01", "2026-11-01"), {"2026-11-01"}),
        (("2026-10-26", "2026-11-02"), {"2026-11-02"}),
        (("2026-11-01", "2026-11-03"), set[str]()),
        (("2026-10-15", "2026-11-15"), set[str]()),
        (("2026-11-02T09:15:00", "2026-11-03T09:15:00"), set[str]()),
    ],
)
def test_of_two_periods_the_last_may_be_incomplete_where_they_are_periods(times: tuple[str, ...], found: set[str]) -> None:
    assert partial(times, TO_NOW) - {"2026-11-03"} == found


def test_a_plan_says_of_which_periods_its_times_are() -> None:
    """Every January is a month, and not a year that has just begun."""
    assert partial(("2025-01-01", "2026-01-01"), TO_NOW) == {"2026-01-01"}
    assert partial(("2025-01-01", "2026-01-01"), Extent(until=TO_NOW.until, grain=Grain.MONTH)) == set()


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT date_trunc('month', ordered_at) AS month, count(*) AS n FROM orders GROUP BY 1", {"2026-11"}),
        ("SELECT month, n FROM balances", set[str]()),
        ("no statement", set[str]()),
    ],
)
def test_a_statement_without_a_plan_counts_up_to_now(sql: str, found: set[str]) -> None:
    rows = [("2026-09-01", 830), ("2026-10-01", 917), ("2026-11-01", 61)]
    extent = extent_of(FLOOR, "postgres", None, sql)

    assert set(drawn(MONTHS, rows, extent=extent).partial) == found
    assert len(whole_rows(MONTHS, rows, extent)) == len(rows) - len(found)


def test_bars_over_months_name_the_one_that_is_not_over() -> None:
    rows = [("2026-09-01", 830), ("2026-10-01", 917), ("2026-11-01", 61)]

    assert drawn(MONTHS, rows, mark="bar", extent=TO_NOW).partial == ("2026-11",)
    assert drawn(("channel", "n"), [("app", 3), ("web", 4)], extent=TO_NOW).partial == ()


def test_lines_of_several_names_have_their_times_in_one_grain() -> None:
    web = [(f"2025-{month:02}-01", "web", 100 + month) for month in range(1, 13)]
    chart = drawn(("month", "channel", "orders"), [*web, ("2025-01-01", "fax", 3), ("2025-08-01", "fax", 5)])

    assert [row["x"] for row in chart.data if row["series"] == "fax"] == ["2025-01", "2025-08"]
    assert len(chart.moments) == len(chart.data)
    two = [("2026-09-01", "a", 100), ("2026-10-01", "a", 120), ("2026-11-01", "a", 9), ("2026-08-01", "b", 90), ("2026-11-01", "b", 10)]
    assert drawn(("month", "channel", "n"), two, extent=TO_NOW).partial == ("2026-11",)


@pytest.mark.parametrize(
    ("times", "grain"),
    [
        (("2025-01-01", "2025-08-01"), Grain.MONTH),
        (("2025-01-01", "2026-01-01"), Grain.YEAR),
        (("2024-04-01", "2025-04-01"), Grain.YEAR),
        (("2025-02-01", "2025-05-01", "2025-08-01"), Grain.QUARTER),
        (("2025-01-31", "2025-02-28", "2025-03-31"), Grain.MONTH),
        (("2025-01-03", "2025-01-20", "2025-03-31"), Grain.DAY),
    ],
)
def test_no_two_times_of_a_grain_are_one_period(times: tuple[str, ...], grain: Grain) -> None:
    assert series_grain([datetime.fromisoformat(time) for time in times]) == grain


def test_points_that_are_not_drawn_are_counted() -> None:
    chart = drawn(("x", "y"), [(number + 0.5, number * 2.0) for number in range(1500)])

    assert (len(chart.data), chart.left_out) == (1000, 500)


def test_a_missing_day_or_month_leaves_the_cycle_where_it_is() -> None:
    days = [date(2026, 3, 1) + timedelta(number) for number in range(56)]
    of_days = [(day.isoformat(), 300 if day.weekday() == 0 else 100 + day.day * 7 % 5) for day in days if day != date(2026, 3, 4)]
    months = [(year, month) for year in range(2022, 2026) for month in range(1, 13) if (year, month) != (2022, 12)]
    of_months = [(f"{year}-{month:02}-01", 300 if month == 12 else 100 + month % 3) for year, month in months]

    for names, rows, high in ((("day", "orders"), of_days, "Mondays"), (("month", "orders"), of_months, "December")):
        findings = findings_of(names, rows)
        assert [finding.kind for finding in findings] == [FindingKind.CYCLE]
        assert f"its high is {high}" in said(findings[0].text)


BY = Measure(column="o.channel")
DISTINCT = Measure(column="o.customer_id", aggregate=Aggregate.COUNT_DISTINCT)
COUNT = Measure(aggregate=Aggregate.COUNT)


@pytest.mark.parametrize(
    ("figure", "adds"),
    [
        (Selected(value=DISTINCT), False),
        (Selected(value=COUNT), True),
        (Selected(value=Measure(column="o.total", aggregate=Aggregate.SUM)), True),
        (Selected(value=Measure(column="o.total", aggregate=Aggregate.AVERAGE)), False),
        (Selected(value=COUNT, relation=Relation.RATIO, other=COUNT), False),
    ],
)
def test_a_plan_says_what_adds_up(figure: Selected, adds: bool) -> None:
    plan = QueryPlan(sources=(Source(table="orders", alias="o"),), selected=(Selected(value=BY), figure), group_by=(BY,))

    assert added_up(plan, ("channel", "total"), "", "postgres").get("total") is adds


@pytest.mark.parametrize(
    ("sql", "adds"),
    [
        ("SELECT channel, count(DISTINCT customer_id) AS customers FROM orders GROUP BY 1", False),
        ("SELECT channel, count(*) AS customers FROM orders GROUP BY 1", True),
        ("SELECT channel, coalesce(sum(total), 0) AS customers FROM orders GROUP BY 1", True),
        ("SELECT channel, max(total) AS customers FROM orders GROUP BY 1", False),
        ("SELECT channel, sum(total) / count(*) AS customers FROM orders GROUP BY 1", False),
        ("SELECT channel, customers FROM (SELECT channel, avg(n) AS customers FROM orders GROUP BY 1) AS s", False),
        ("SELECT channel, customers FROM orders_by_channel", None),
        ("no statement", None),
    ],
)
def test_a_statement_says_what_adds_up(sql: str, adds: bool | None) -> None:
    assert added_up(None, ("channel", "customers"), sql, "postgres").get("customers") is adds


def test_numbers_of_different_things_have_no_share_of_a_whole() -> None:
    rows = [("app", 1823), ("web", 2117), ("store", 1080)]

    def kinds(**known: bool) -> set[FindingKind]:
        return {finding.kind for finding in findings_of(("channel", "customers"), rows, added=known)}

    assert FindingKind.SHARE in kinds()
    assert FindingKind.SHARE in kinds(customers=True)
    assert FindingKind.SHARE not in kinds(customers=False)
    assert not any(adds_up(name) for name in ("discount", "account_age", "distinct_customers", "consumer"))
    assert all(adds_up(name) for name in ("order_count", "n", "total", "revenue", "订单数"))


def test_the_extent_of_a_plan_knows_its_grain() -> None:
    cut = Measure(column="o.ordered_at", unit=TimeUnit.MONTH)
    plan = QueryPlan(sources=(Source(table="orders", alias="o"),), selected=(Selected(value=cut), Selected(value=COUNT)), group_by=(cut,))

    assert extent_of(FLOOR, "shop", plan).grain is Grain.MONTH
