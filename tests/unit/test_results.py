"""Findings of results: what is in the rows is found, and what is not is not."""

from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.charts import Mark
from contracts.findings import FindingKind
from tests.support.campaign import TIMES
from workers.engines.results.charts import MOST_BARS, chart_of
from workers.engines.results.findings import MOST_FINDINGS, adds_up, findings_of
from workers.engines.results.statistics import outliers_of, shift_of, trend_of
from workers.engines.results.table import Cell, ColumnRole, ResultTable
from workers.saying import text_of

FIRST = date(2025, 1, 6)  # a Monday


def days(values: list[float]) -> list[tuple[Cell, ...]]:
    return [((FIRST + timedelta(days=number)).isoformat(), value) for number, value in enumerate(values)]


def kinds(rows: list[tuple[Cell, ...]], names: tuple[str, ...] = ("day", "orders")) -> list[FindingKind]:
    return [finding.kind for finding in findings_of(names, rows)]


def texts(rows: list[tuple[Cell, ...]], names: tuple[str, ...] = ("day", "orders"), language: str = "en") -> str:
    return "\n".join(text_of(finding.text, language) for finding in findings_of(names, rows))


def noise(n: int, sigma: float = 1.0, seed: int = 7) -> list[float]:
    chance = Random(seed)
    return [chance.gauss(100, sigma) for _ in range(n)]


def test_a_rising_series_has_a_trend_with_its_test() -> None:
    assert "orders rose by" in texts(days([value + number for number, value in enumerate(noise(40))]))


def test_a_figure_of_a_row_is_said_with_the_decimals_of_its_table() -> None:
    """A model may say only figures that stand in rows or facts: one that is rounded in a fact would make the row's own a stray one."""
    said = texts([("web", 1_204.69), ("shop", 12.5), ("mail", 9.0)], ("channel", "turnover"))

    assert "1,204.69" in said
    assert "(9)" in said or " 9" in said


def test_noise_has_no_trend_no_shift_no_outlier_and_no_cycle() -> None:
    """Of 100 series of pure noise, few may be said to hold anything."""
    loud = sum(bool(kinds(days(noise(60, seed=seed)))) for seed in range(100))

    assert loud <= 5


def test_a_level_that_changes_once_is_a_shift_with_its_day() -> None:
    rows = days([value + (60 if number >= 25 else 0) for number, value in enumerate(noise(50, 3))])

    assert kinds(rows)[0] is FindingKind.SHIFT
    assert "From 2025-01-31 on" in texts(rows)


def test_a_single_bad_day_is_an_outlier_and_no_trend() -> None:
    values = noise(40, 2)
    values[17] = 5

    assert kinds(days(values)) == [FindingKind.OUTLIER]
    assert "2025-01-23 stands out: orders is only 5" in texts(days(values))


def test_weekends_are_a_cycle() -> None:
    rows = days([value - (40 if number % 7 >= 5 else 0) for number, value in enumerate(noise(70, 4))])

    assert FindingKind.CYCLE in kinds(rows)
    assert FindingKind.OUTLIER not in kinds(rows)
    assert "周六" in texts(rows, language="zh") or "周日" in texts(rows, language="zh")


def test_shares_are_said_of_what_adds_up_only() -> None:
    rows: list[tuple[Cell, ...]] = [("north", 70.0), ("south", 20.0), ("west", 10.0)]

    assert FindingKind.SHARE in kinds(rows, ("region", "revenue"))
    assert FindingKind.SHARE not in kinds(rows, ("region", "avg_revenue"))
    assert not adds_up("average_price")


def test_the_extremes_are_named() -> None:
    rows: list[tuple[Cell, ...]] = [("north", "70.50"), ("south", "20.00"), ("west", None)]

    assert "north has the highest total" in texts(rows, ("region", "total"))
    assert FindingKind.GAP in kinds(rows, ("region", "total"))


def test_an_empty_result_is_said() -> None:
    assert texts([], ("region", "total")) == "The result has no rows."


def test_a_number_that_names_something_is_no_quantity() -> None:
    table = ResultTable(("customer_id", "year", "hour", "n"), ((17, 2025, 8, 3), (18, 2026, 9, 4)))

    assert [column.role for column in table.columns] == [ColumnRole.NAME, ColumnRole.TIME, ColumnRole.NAME, ColumnRole.QUANTITY]


def test_time_is_drawn_as_a_line_and_names_as_bars() -> None:
    line = chart_of(("day", "orders"), days(noise(20)))
    bars = chart_of(("region", "n"), [("north", 3), ("south", 9)], order="best_first")

    assert line is not None
    assert line.mark is Mark.LINE
    assert bars is not None
    assert bars.mark is Mark.BAR
    assert [row["x"] for row in bars.data] == ["south", "north"]


def test_a_wish_is_followed_where_the_data_allows_it() -> None:
    month: list[tuple[Cell, ...]] = [("2025-01", 3), ("2025-02", 9)]
    bars = chart_of(("month", "n"), month, mark="bar")

    assert bars is not None
    assert bars.mark is Mark.BAR


def test_of_many_bars_the_highest_are_drawn() -> None:
    chart = chart_of(("name", "n"), [(f"name {number}", number) for number in range(100)])

    assert chart is not None
    assert len(chart.data) == MOST_BARS
    assert chart.data[0]["y"] == 99


@pytest.mark.parametrize("rows", [[], [("only", 1)], [("a", "b"), ("c", "d")]])
def test_nothing_to_draw_is_no_chart(rows: list[tuple[Cell, ...]]) -> None:
    assert chart_of(("x", "y"), rows) is None


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=12)
)


@settings(max_examples=80 * TIMES, deadline=None)
@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=30)))
def test_whatever_a_result_holds_it_is_read(rows: list[list[Cell]]) -> None:
    """No result ends a step; each finding can be said in both languages."""
    names = tuple(f"column_{number}" for number in range(len(rows[0]) if rows else 1))

    findings = findings_of(names, rows)
    chart_of(names, rows)

    assert len(findings) <= MOST_FINDINGS
    assert all(text_of(finding.text, language) for finding in findings for language in ("en", "zh"))


@given(st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=60))
def test_statistics_do_not_depend_on_the_unit(values: list[float]) -> None:
    """A thousand times the values is the same trend, shift and outliers."""
    scaled = [value * 1024 for value in values]

    assert trend_of(scaled).p_value == pytest.approx(trend_of(values).p_value)
    assert [index for index, _ in outliers_of(scaled)] == [index for index, _ in outliers_of(values)]
    before, after = shift_of(values), shift_of(scaled)
    assert (before is None) == (after is None)


def test_parts_of_a_whole_are_said_in_percent() -> None:
    rows: list[tuple[Cell, ...]] = [("north", 0.126), ("south", 0.42)]

    assert "42%" in texts(rows, ("region", "share"))
    assert "42%" not in texts(rows, ("region", "rate"))
    assert "42%" not in texts([("north", 12.6), ("south", 0.42)], ("region", "share"))


def test_those_that_share_an_extreme_are_all_named() -> None:
    """The first of them was given as the only one."""
    rows = [("Maroon Bay", 3), ("Port Keppel", 4), ("Sandline", 4)]
    many = [("a", 9), *((name, 1) for name in "bcdef")]

    assert "The highest acts, 4, is that of Port Keppel and Sandline; the lowest, 3, that of Maroon Bay." in texts(rows, ("port", "acts"))
    assert "The highest acts, 9, is that of a; the lowest, 1, that of 5 rows." in texts(many, ("port", "acts"))
    assert "acts 最高为 4（Port Keppel 和 Sandline），最低为 3（Maroon Bay）。" in texts(rows, ("port", "acts"), "zh")
