"""Ranges and graphs: drawn as SVG, as lines of a terminal, and as tables; with what nobody should say in their texts."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from pydantic import ValidationError

from contracts.charts import Channel
from contracts.drawings import Graph, Node, Place, Places, Range, Ranges
from contracts.statements import name, seconds, term
from workers.saying.document import Document
from workers.saying.layers import columns_of, ends_last, rows_of
from workers.saying.markdown import to_markdown
from workers.saying.range_bars import bar_of
from workers.saying.spans import Speaker
from workers.saying.terminal import to_lines
from workers.saying.terminal_places import place_lines
from workers.saying.web_page import to_fragment

EVIL = 'x"><script>alert(1)</script>'
TASKS = Ranges(
    title=term("saying.chart.data"),
    label=term("saying.graph.node"),
    axis=term("saying.ranges.high"),
    rows=(
        Range(name=name("stage 4"), least=3.8, low=4.4, middle=5.1, high=5.3, greatest=29.9, note=seconds(29.9), is_marked=True),
        Range(name=EVIL, least=0.3, low=0.4, middle=0.5, high=0.7, greatest=0.9),
    ),
)
AREA = Places(
    title=term("saying.chart.form.map"),
    label=name("grid"),
    is_geographic=False,
    side_m=50,
    colourings=(Channel(field="v0", type="quantitative", title=name("rsrp")),),
    places=tuple(
        Place(name=EVIL if x == y == 0 else f"g{x}-{y}", x=50 * x, y=50 * y, values={"v0": -80 - 30 * (x // 5)})
        for x in range(10)
        for y in range(10)
    ),
)
LINEAGE = Graph(
    title=term("saying.chart.data"),
    nodes=(
        Node(id="orders", label=name("orders"), note=term("saying.ranges.low")),
        Node(id="items", label=name(EVIL)),
        Node(id="daily", label=name("daily")),
        Node(id="report", label=name("report"), is_marked=True),
    ),
    edges=(("orders", "daily"), ("items", "daily"), ("daily", "report"), ("orders", "report")),
)


def page(*blocks: Ranges | Places | Graph) -> str:
    return to_fragment(Document(title=name("t"), blocks=blocks), "en", below=1)


def test_a_graph_is_well_formed_escaped_and_without_styles() -> None:
    drawn = page(LINEAGE)
    root = ElementTree.fromstring(drawn[drawn.index("<svg") : drawn.index("</svg>") + 6])  # noqa: S314  our own drawing

    assert not [element for element in root.iter() if element.tag == "script" or "style" in element.attrib]
    assert "<script>" not in drawn
    assert "<table>" in drawn, "its data are there for those who cannot see it"


def test_ranges_and_maps_bring_their_data_to_the_script_that_draws_them_and_a_table_for_those_who_cannot_see_it() -> None:
    for block in (TASKS, AREA):
        drawn = page(block)
        data = json.loads(drawn.partition('class="plot-data">')[2].partition("</script>")[0])
        assert drawn.count("</script>") == 1, "what a row is called ends no element"
        assert EVIL in [row[data["datasets"]["rows"]["fields"].index("name")] for row in data["datasets"]["rows"]["rows"]]
        assert "<table>" in drawn


def test_a_map_of_a_terminal_shades_its_parts_and_says_what_the_shades_mean() -> None:
    lines = [line.plain for line in to_lines(Document(title=name("t"), blocks=(AREA,)), "en", 40)]

    assert any("█" in line and "░" in line for line in lines)
    assert any("rsrp: ░ -110 … -80 █" in line for line in lines)
    assert place_lines(AREA, Speaker("en"), 10) is None


def test_markdown_has_the_first_places_of_a_map_as_a_table_and_says_how_many_more_there_are() -> None:
    text = to_markdown(Document(title=name("t"), blocks=(AREA,)), "en")

    assert text.count("\n| ") == 52
    assert "50 more rows" in text


def test_the_bar_of_a_spread_lies_where_its_numbers_are_on_the_scale() -> None:
    row = TASKS.rows[0]

    assert TASKS.scale() == (0.0, 29.9)
    assert bar_of(row, 0.0, 30.0, 30) == "   ─█┃" + "─" * 24
    assert bar_of(row, 0.0, 30.0, 0) == ""
    assert bar_of(Range(name="a", low=2, high=4), 0.0, 10.0, 10) == "  ███"


@pytest.mark.parametrize("width", [20, 80, 200])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_terminal_shows_each_row_within_its_width(width: int, language: str) -> None:
    lines = to_lines(Document(title=name("t"), blocks=(TASKS, LINEAGE)), language, width)

    assert all(line.cell_len <= width for line in lines)
    assert any("←" in line.plain for line in lines)


def test_markdown_has_the_numbers_as_a_table() -> None:
    text = to_markdown(Document(title=name("t"), blocks=(TASKS, LINEAGE)), "en")

    assert "| `stage 4` | 3.8 s | 4.4 s | 5.1 s | 5.3 s | 29.9 s | 29.9 s |" in text
    assert "| `report` | `orders`, `daily` |" in text


def test_what_follows_is_drawn_right_of_what_it_follows_from_and_ends_are_last() -> None:
    origins = {"orders": [], "items": [], "daily": ["orders", "items"], "early": ["orders"], "report": ["daily"]}
    columns = ends_last(columns_of(origins, origins), origins)
    rows = rows_of(columns, origins)

    assert columns == {"orders": 0, "items": 0, "daily": 1, "early": 2, "report": 2}
    assert len({(columns[node], rows[node]) for node in origins}) == len(origins)


def test_a_circle_is_cut() -> None:
    assert columns_of("ab", {"a": ["b"], "b": ["a"]}) == {"a": 1, "b": 0}


def test_numbers_of_a_range_go_upwards_and_edges_name_nodes() -> None:
    with pytest.raises(ValidationError, match="upwards"):
        Range(name="a", low=4, high=2)
    with pytest.raises(ValidationError, match="names no node"):
        Graph(title="t", nodes=(Node(id="a", label=name("a")),), edges=(("a", "b"),))
    with pytest.raises(ValidationError, match="one id"):
        Graph(title="t", nodes=(Node(id="a", label=name("a")), Node(id="a", label=name("b"))))
