"""Charts of time: incomplete periods, times without a row, one chart for each quantity."""

from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.charts import Chart, Mark
from contracts.charts import Measure as Shown
from contracts.queries import Measure, QueryPlan, Selected, Source, TimeUnit
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.results.charts import chart_of, charts_of
from workers.engines.results.findings import findings_of
from workers.engines.results.periods import Extent, partial_times, whole_rows
from workers.engines.results.table import ResultTable
from workers.kinds.ask.work.execution import extent_of

NAMES = ("month", "n")
MONTHS = [(f"2026-{month:02}-01", 100 + month) for month in range(1, 10)] + [("2026-10-01", 20)]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text)


def chart(names: tuple[str, ...], rows: Sequence[tuple[object, ...]], **wanted: object) -> Chart:
    made = chart_of(names, rows, **wanted)  # pyright: ignore[reportArgumentType]
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("extent", "partial"),
    [
        (Extent(until=day("2026-10-09")), ("2026-10",)),
        (Extent(until=day("2026-10-31T21:00")), ()),
        (Extent(until=day("2026-11-01")), ()),
        (Extent(since=day("2026-01-20"), until=day("2026-10-09")), ("2026-01", "2026-10")),
        (Extent(), ()),
    ],
)
def test_the_first_and_the_last_period_are_marked_where_the_data_do_not_cover_them(extent: Extent, partial: tuple[str, ...]) -> None:
    assert chart(NAMES, MONTHS, extent=extent).partial == partial


def test_findings_leave_out_a_month_that_is_not_over() -> None:
    extent = Extent(until=day("2026-10-09"))

    told = findings_of(NAMES, whole_rows(NAMES, MONTHS, extent))

    assert [finding.kind.value for finding in findings_of(NAMES, MONTHS)] != [finding.kind.value for finding in told]
    assert "outlier" not in [finding.kind.value for finding in told]


def test_each_quantity_has_a_chart_of_its_own() -> None:
    rows = [(f"2026-{month:02}-01", month, 1000.0 * month + 7) for month in range(1, 7)]

    made = charts_of(("month", "n", "revenue"), rows)

    assert [one.mark for one in made] == [Mark.LINE, Mark.LINE]
    assert [row["y"] for row in made[1].data][:2] == [1007.0, 2007.0]


def test_a_quantity_that_is_the_same_everywhere_is_not_drawn() -> None:
    assert chart_of(("name", "n"), [("a", 3), ("b", 3), ("c", 3)]) is None


def test_a_line_knows_when_its_rows_are() -> None:
    rows = [("2026-03-01T09:00:00", 1), ("2026-03-01T10:00:00", 2), ("2026-03-02T09:00:00", 1)]

    made = chart(("hour", "n"), rows)

    assert made.moments == (day("2026-03-01T09:00"), day("2026-03-01T10:00"), day("2026-03-02T09:00"))


def test_bars_over_months_are_labelled_by_months_without_what_is_the_same_everywhere() -> None:
    rows = [("2026-01-01", "failed", 5), ("2026-02-01", "failed", 7), ("2026-03-01", "failed", 4)]

    assert [row["x"] for row in chart(("month", "status", "n"), rows, mark="bar").data] == ["2026-01", "2026-02", "2026-03"]


def test_shares_are_shown_in_percent() -> None:
    assert chart(("status", "share"), [("ok", 0.9), ("failed", 0.1)]).y.measure is Shown.SHARE


@pytest.mark.parametrize(
    ("seen", "partial"),
    [
        ({"seen_until": "2026-10-09"}, {"2026-10"}),
        ({"seen_until": "2026-07-20"}, set()),  # the catalogue is older than the result
        ({"seen_since": "2026-01-20"}, {"2026-01"}),
        ({"seen_since": "2026-03-20"}, set()),
    ],
)
def test_a_statistic_that_is_older_than_the_result_is_no_bound(seen: dict[str, str], partial: set[str]) -> None:
    extent = Extent(**{side: day(moment) for side, moment in seen.items()})

    assert {f"{moment:%Y-%m}" for moment in partial_times(ResultTable(NAMES, MONTHS), extent)} == partial


@pytest.mark.parametrize(("type_", "maximum"), [("DATE", "2026-03-31"), ("TEXT", "2026-03-31"), ("DATE", "2026-03-31 00:00:00")])
def test_the_last_day_of_a_column_of_days_is_whole(type_: str, maximum: str) -> None:
    column = ColumnDetail(name="day", type=type_, minimum="2026-01-01", maximum=maximum)
    tables = (TableDetail(name="orders", columns=(column,)),)
    floor: Any = SimpleNamespace(tables=lambda _: tables, every=lambda _: tables, now=datetime(2026, 4, 2, tzinfo=UTC))
    plan = QueryPlan(
        sources=(Source(table="orders", alias="o"),),
        selected=(Selected(value=Measure(column="o.day", unit=TimeUnit.DAY)),),
        group_by=(Measure(column="o.day", unit=TimeUnit.DAY),),
    )
    rows = [(f"2026-03-{number}", 1.0) for number in range(25, 32)]

    assert whole_rows(("day", "n"), rows, extent_of(floor, "shop", plan)) == rows
