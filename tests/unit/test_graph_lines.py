"""Drawings of what follows from what: no line passes behind a box that it does not belong to."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from contracts.drawings import Graph, Node
from contracts.statements import name, say
from workers.saying.graph_svg import graph_svg
from workers.saying.spans import Speaker

Box = tuple[float, float, float, float]
Point = tuple[float, float]


def boxes(drawn: ElementTree.Element) -> list[Box]:
    """Left, top, right, bottom of each."""
    found = [{key: float(rect.attrib[key]) for key in ("x", "y", "width", "height")} for rect in drawn.iter() if rect.tag == "rect"]
    return [(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]) for box in found]


def points(path: str) -> Iterator[Point]:
    """Points along a path of M, C, H, V, h."""
    x = y = 0.0
    for sign, numbers in re.findall(r"([MCHVh])([-\d. ]+)", path):
        values = [float(number) for number in str(numbers).split()]
        match sign:
            case "C":
                curve = [(x, y), *zip(values[::2], values[1::2], strict=True)]
            case "M":
                curve = [(values[0], values[1])] * 4
            case "V":
                curve = [(x, y), (x, y), (x, values[0]), (x, values[0])]
            case _:
                right = values[0] if sign == "H" else x + values[0]
                curve = [(x, y), (x, y), (right, y), (right, y)]
        for step in range(21):
            part = step / 20
            weights = ((1 - part) ** 3, 3 * part * (1 - part) ** 2, 3 * part**2 * (1 - part), part**3)
            yield sum(w * at[0] for w, at in zip(weights, curve, strict=True)), sum(w * at[1] for w, at in zip(weights, curve, strict=True))
        x, y = curve[-1]


def behind(drawn: ElementTree.Element) -> list[tuple[str, Box]]:
    """Lines that enter a box."""
    lines = [path.attrib["d"] for path in drawn.iter() if path.tag == "path"]
    return [
        (line, box)
        for line in lines
        for box in boxes(drawn)
        if any(box[0] + 1 < x < box[2] - 1 and box[1] + 1 < y < box[3] - 1 for x, y in points(line))
    ]


@st.composite
def edges(draw: st.DrawFn) -> list[tuple[str, str]]:
    """What follows from what, without circles."""
    count = draw(st.integers(2, 9))
    pairs = [(first, second) for first in range(count) for second in range(first + 1, count)]
    return [(f"t{first}", f"t{second}") for first, second in draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=12, unique=True))]


@given(edges())
def test_no_line_of_a_lineage_is_drawn_behind_a_box(made: list[tuple[str, str]]) -> None:
    names = sorted({end for edge in made for end in edge})
    nodes = tuple(Node(id=node, label=say("console.value", value=name(node))) for node in names)
    drawn = graph_svg(Graph(title=say("console.value", value=name("x")), nodes=nodes, edges=tuple(made)), Speaker("en"))
    assert behind(ElementTree.fromstring(drawn)) == []  # noqa: S314  our own drawing
