"""Charts as Vega-Lite, and the pictures that vl-convert draws of them without fetching anything."""

import json
from typing import Any

import pytest

from contracts.base import Json
from contracts.charts import Chart
from workers.engines.results.charts import chart_of
from workers.engines.results.periods import Extent
from workers.errors import InvalidInput
from workers.saying.spans import Speaker
from workers.saying.svg import chart_svg
from workers.saying.vega_lite import vega_lite
from workers.saying.vega_pictures import picture_of

MONTHS = [(f"2026-{month:02}-01", 100 + month) for month in range(1, 11)]


def line() -> Chart:
    made = chart_of(("month", "n"), MONTHS, extent=Extent(until=_day("2026-10-09")))
    assert made is not None
    return made


def _day(text: str) -> Any:
    from datetime import datetime

    return datetime.fromisoformat(text)


def bars() -> Chart:
    made = chart_of(("城市", "total_value"), [("杭州", 1_432_432.0), ("南京", 998_120.5)])
    assert made is not None
    return made


def test_an_incomplete_period_is_drawn_with_a_dashed_line_and_a_hollow_dot() -> None:
    spec = vega_lite(line(), Speaker("en"))

    whole, dashed = spec["layer"]
    assert [row["x"] for row in whole["data"]["values"]][-1] == "2026-09"
    assert [row["x"] for row in dashed["data"]["values"]] == ["2026-09", "2026-10"]
    assert dashed["mark"]["strokeDash"]
    drawn = chart_svg(line(), Speaker("en"))
    assert drawn.count('polyline class="s0 partial"') == 1
    assert drawn.count('circle class="s0 partial"') == 1


def test_bars_say_their_values_in_full() -> None:
    spec = vega_lite(bars(), Speaker("en"))

    assert [row["label"] for row in spec["data"]["values"]] == ["1,432,432", "998,120"]


@pytest.mark.parametrize("made", [line, bars])
def test_a_specification_holds_its_data_and_no_address(made: Any) -> None:
    text = json.dumps(vega_lite(made(), Speaker("zh")) | {"$schema": ""})

    assert "http" not in text
    assert '"url"' not in text


@pytest.mark.parametrize("made", [line, bars])
def test_pictures_are_drawn(made: Any) -> None:
    spec = vega_lite(made(), Speaker("zh"))

    assert picture_of(spec, "svg").startswith(b"<svg")
    assert picture_of(spec, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "data",
    [
        {"url": "http://127.0.0.1:9/data.json"},
        {"url": "file:///etc/passwd"},
        {"values": [], "format": {"URL": "https://example.com"}},
        {"lookup": [{"from": {"data": {"url": "data.csv"}}}]},
    ],
)
def test_a_specification_with_an_address_is_refused(data: Json) -> None:
    with pytest.raises(InvalidInput, match="names an address"):
        picture_of({"mark": "bar", "data": data}, "svg")
