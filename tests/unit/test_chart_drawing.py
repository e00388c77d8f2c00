"""What a reader sees of a chart: round ticks, labels with room, bars in an order that means something."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.charts import Chart, Mark
from workers.engines.results.charts import chart_of
from workers.saying.axes import digits_of, round_ticks, ticks_of, wants_zero
from workers.saying.labels import LABEL, cells, shortened
from workers.saying.spans import Speaker
from workers.saying.vega_lite import Plot, plot_chart

MONTHS = [f"2025-{month:02}-01" for month in range(1, 13)]


def drawn(chart: Chart | None, language: str = "en") -> Plot:
    """What a chart is drawn from."""
    assert chart is not None
    return plot_chart(chart, Speaker(language))


def y_scale(plot: Plot) -> Any:
    """Of the first drawing."""
    return plot.drawings[0].spec["encoding"]["y"]["scale"]


@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12))
def test_ticks_are_few_and_hold_all_values(low: float, span: float) -> None:
    high = low + span
    if high - low < abs(low) * 1e-9:  # too near to each other for a float to distinguish
        return
    ticks = round_ticks(low, high)

    assert 2 <= len(ticks) <= 8
    assert ticks[0] <= low + (high - low) * 1e-6
    assert ticks[-1] >= high - (high - low) * 1e-6


def test_a_line_that_hardly_changes_is_drawn_without_zero() -> None:
    flat = drawn(chart_of(["month", "rate"], [(month, 0.951 + place / 1000) for place, month in enumerate(MONTHS)]))
    steep = drawn(chart_of(["month", "revenue"], [(month, 100_000 + 9_137 * place) for place, month in enumerate(MONTHS)]))

    assert y_scale(flat) == {"zero": False}
    assert y_scale(steep) == {"zero": True}
    assert not wants_zero((-104.0, -101.5)), "levels in dBm"
    assert ticks_of(Mark.LINE, (-104.0, -101.5)) == [-104.0, -103.5, -103.0, -102.5, -102.0, -101.5]


def test_bars_without_a_meant_order_are_drawn_highest_first() -> None:
    rows = [("web", 10), ("store", 2), ("app", 30)]
    chance, meant = chart_of(["channel", "n"], rows, is_ordered=False), chart_of(["channel", "n"], rows)

    assert chance is not None
    assert meant is not None
    assert [row["x"] for row in chance.data] == ["app", "web", "store"]
    assert [row["x"] for row in meant.data] == ["web", "store", "app"]
    assert drawn(chance).datasets["rows"][0]["_label"] == "30"


def test_two_names_are_bars_side_by_side() -> None:
    rows = [(region, channel, 10 * len(region) + len(channel)) for region in ("north", "west") for channel in ("web", "store", "app")]
    chart = chart_of(["region", "channel", "revenue"], rows, is_ordered=False)

    assert chart is not None
    assert chart.mark is Mark.BAR
    assert chart.series() == ("app", "store", "web") or chart.series() == ("north", "west")
    assert drawn(chart).drawings[0].spec["encoding"]["yOffset"]["field"] == "series"


def test_a_count_is_called_a_number_in_the_language_of_the_reader() -> None:
    chart = chart_of(["channel", "n"], [("web", 1), ("app", 2)])

    assert chart is not None
    assert Speaker("en").text(chart.title) == "Number by channel"
    assert "数量" in Speaker("zh").text(chart.title)


def test_names_that_differ_at_the_end_stay_distinct_and_chinese_takes_twice_the_room() -> None:
    first, second = "Ultralight four-season expedition tent, red", "Ultralight four-season expedition tent, blue"

    assert shortened(first) != shortened(second)
    assert cells("华东大区") == 8
    assert cells(shortened("华东大区第一销售中心（上海浦东新区分公司）")) <= LABEL
    assert shortened("short") == "short"


@pytest.mark.parametrize(("values", "digits"), [((1.0, 200.0), None), ((0.613, 0.1), 3), ((4.25, -0.8), 2), ((22.1, 4.2), None)])
def test_small_numbers_keep_the_digits_that_distinguish_them(values: tuple[float, ...], digits: int | None) -> None:
    assert digits_of(values) == digits


@pytest.mark.parametrize("values", [(0, 0), (-3, -1), (5, 5), (1e-9, 2e-9), (1e15, 2e15)])
def test_any_values_can_be_drawn(values: tuple[float, float]) -> None:
    for names in (("month", "n"), ("channel", "n")):
        rows = [(MONTHS[0] if names[0] == "month" else "a", values[0]), (MONTHS[1] if names[0] == "month" else "b", values[1])]
        chart = chart_of(names, rows, mark="line" if names[0] == "month" else "bar")

        assert chart is not None
        assert "nan" not in json.dumps([drawing.spec for drawing in drawn(chart, "zh").drawings]).lower()
