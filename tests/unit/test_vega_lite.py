"""Charts as Vega-Lite, and the pictures that vl-convert draws of them without fetching anything."""

import json
from typing import Any

import pytest

from contracts.base import Json
from contracts.charts import Chart
from contracts.drawings import Places, Range, Ranges
from contracts.statements import name
from workers.engines.results.charts import chart_of
from workers.engines.results.periods import Extent
from workers.engines.results.places import places_of
from workers.errors import InvalidInput
from workers.saying.plots import Plotted, plot_of
from workers.saying.spans import Speaker
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


def heat() -> Chart:
    rows = [(region, month, place * 7.5) for place, region in enumerate(("north", "west")) for month, _ in MONTHS]
    made = chart_of(("region", "month", "n"), rows, mark="heat")
    assert made is not None
    return made


def grid() -> Places:
    rows = [(f"g{x}-{y}", 25.0 + 50 * x, 25.0 + 50 * y, -90.0 - x if y else None) for x in range(8) for y in range(6)]
    made = places_of(("grid_id", "x_m", "y_m", "rsrp_dbm"), rows)
    assert made is not None
    return made


def cells() -> Places:
    rows = [(f"{site}-{sector}", 8.5 + site / 100, 47.3, 120 * sector, 10 * site) for site in range(4) for sector in range(3)]
    made = places_of(("cell_id", "longitude", "latitude", "azimuth_deg", "prb_util_pct"), rows)
    assert made is not None
    return made


def shops() -> Places:
    made = places_of(("shop", "store_lon", "store_lat"), [("a", 8.5, 47.3), ("b", "9.1", 46.9), ("c", None, None)], row_count=30)
    assert made is not None
    return made


def tasks() -> Ranges:
    rows = (Range(name="a", least=1, low=2, middle=3, high=4, greatest=9, is_marked=True), Range(name="a", low=0, high=2))
    return Ranges(title="t", label="stage", axis="time", rows=rows)


def test_places_on_a_grid_are_squares_those_with_a_bearing_stand_beside_their_mast_and_all_else_is_a_point() -> None:
    squares, sectors, points = grid(), cells(), shops()

    assert squares.side_m == 50
    assert not squares.is_geographic
    assert [channel.field for channel in squares.colourings] == ["v0"]
    assert sum("v0" not in place.values for place in squares.places) == 8
    assert sectors.side_m is points.side_m is None
    assert [channel.title for channel in sectors.colourings] == [name("prb_util_pct")]
    drawn = plot_of(sectors, Speaker("en")).datasets["rows"]
    assert len({(row["at_x"], row["at_y"]) for row in drawn}) == 12
    assert len({(row["east"], row["north"]) for row in drawn}) == 4
    assert [place.name for place in points.places] == ["a", "b"]
    assert Speaker("en").text(points.title) == "Map: shop (2 of 30)"
    assert plot_of(points, Speaker("zh")).drawings[0].key == "places"


@pytest.mark.parametrize(
    ("names", "row"),
    [
        (("shop", "longitude", "revenue"), ("a", 8.5, 1)),
        (("shop", "longitude", "latitude"), ("a", 200.0, 47.0)),
        (("shop", "longitude", "latitude"), ("a", "east", "north")),
        (("shop", "from_lon", "to_lat"), ("a", 8.5, 47.0)),
    ],
)
def test_rows_without_two_coordinates_are_nowhere(names: tuple[str, ...], row: tuple[Any, ...]) -> None:
    assert places_of(names, [row, (row[0], *(cell for cell in reversed(row[1:])))]) is None


def test_coordinates_are_no_quantities_to_draw_bars_of() -> None:
    rows = [("a", 8.5, 47.3, 10), ("b", 9.1, 46.9, 20)]
    made = chart_of(("shop", "longitude", "latitude", "revenue"), rows)

    assert made is not None
    assert made.y.title == name("revenue")
    assert made.x.title == name("shop")


@pytest.mark.parametrize(
    ("make", "forms"),
    [(line, "line bar area point"), (bars, "bar line area point"), (heat, "heat bar line area point")],
)
def test_a_reader_chooses_among_the_forms_that_the_data_allow(make: Any, forms: str) -> None:
    assert [drawing.key for drawing in plot_of(make(), Speaker("en")).drawings] == forms.split()


def test_bytes_and_times_are_written_at_the_axis_as_the_reader_writes_them() -> None:
    axis = spec_of(tasks())["layer"][1]["encoding"]["x"]["axis"]

    assert axis["values"] == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert axis["labelExpr"].endswith("datum.value===8.0?'8 s':''")


def spec_of(block: Plotted, language: str = "en") -> Json:
    """As it is written to a file."""
    return plot_of(block, Speaker(language)).whole(block.title, speaker=Speaker(language))


def test_an_incomplete_period_is_drawn_with_a_dashed_line_and_a_hollow_dot() -> None:
    spec = spec_of(line())

    whole, dashed = spec["layer"]
    assert whole["transform"] == [{"filter": {"field": "_partial", "equal": False}}]
    assert [row["x"] for row in spec["datasets"]["rows"] if not row["_partial"]][-1] == "2026-09"
    assert [row["x"] for row in spec["datasets"]["ends"]] == ["2026-09", "2026-10"]
    assert dashed["data"] == {"name": "ends"}
    assert dashed["mark"]["strokeDash"]


def test_bars_say_their_values_in_full() -> None:
    assert [row["_label"] for row in spec_of(bars())["datasets"]["rows"]] == ["1,432,432", "998,120"]


@pytest.mark.parametrize("made", [line, bars, heat, grid, cells, shops, tasks])
def test_a_specification_holds_its_data_and_no_address(made: Any) -> None:
    text = json.dumps(spec_of(made(), "zh") | {"$schema": ""})

    assert "http" not in text
    assert '"url"' not in text


@pytest.mark.parametrize("made", [line, bars, heat, grid, cells, shops, tasks])
def test_pictures_are_drawn(made: Any) -> None:
    pytest.importorskip("vl_convert", reason="the extra `charts`, which the development packages have")
    spec = spec_of(made(), "zh")

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
