"""A graph as inline SVG: it is laid out here, since Vega-Lite draws no graphs. Its colours are classes of the page's style sheet."""

from collections.abc import Mapping

from contracts.drawings import Graph, Node
from workers.saying.html_text import escaped
from workers.saying.labels import cells, shortened
from workers.saying.layers import Lane, Place, columns_of, ends_last, rows_of, way_of, with_lanes
from workers.saying.spans import Speaker

UNIT = 7.0
"""Width of a narrow character of the page's font at the drawing's size; a Chinese one is twice as wide."""
NODE_HEIGHT, NODE_GAP, EDGE = 44, 14, 6
COLUMN_GAP = 48
LANE = 8
"""Units that a line takes where it passes a column."""
MOST_NODE = 42
"""Narrow characters of a node's label."""


def graph_svg(block: Graph, speaker: Speaker) -> str:
    """The things as boxes, what follows right of what it follows from. A line passes beside the boxes that it does not belong to."""
    by_id = {node.id: node for node in block.nodes}
    origins = {node.id: [origin for origin, result in block.edges if result == node.id] for node in block.nodes}
    columns = ends_last(columns_of(by_id, origins), origins)
    placed, follows = with_lanes(columns, origins)
    tops, height = _tops(placed, rows_of(placed, follows))
    last = max(columns.values(), default=-1)
    widths = [max(_width(by_id[node_id], speaker) for node_id, at in columns.items() if at == column) for column in range(last + 1)]
    lefts = [EDGE + sum(widths[:column]) + COLUMN_GAP * column for column in range(len(widths))]

    parts: list[str] = []
    for origin, result in block.edges:
        way = way_of(origin, result, columns)
        points = [(lefts[placed[place]], tops[place] + _height(place) / 2, widths[placed[place]]) for place in way]
        parts.append(f'<path class="edge" d="{_line(points)}"/>')
    for node in block.nodes:
        parts += _box(node, lefts[columns[node.id]], tops[node.id], widths[columns[node.id]], speaker)
    width = lefts[-1] + widths[-1] + EDGE if widths else 2 * EDGE
    drawing, title = "\n".join(parts), escaped(speaker.text(block.title))
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return f'<svg {size} role="img" aria-label="{title}">\n{drawing}\n</svg>'


def _height(place: Place) -> float:
    return LANE if isinstance(place, Lane) else NODE_HEIGHT


def _tops(placed: Mapping[Place, int], rows: Mapping[Place, int]) -> tuple[dict[Place, float], float]:
    """The upper edge of each place, columns centred beside each other, and the height of the drawing."""
    columns = {column: sorted((p for p, at in placed.items() if at == column), key=rows.__getitem__) for column in placed.values()}
    heights = {column: sum(_height(place) + NODE_GAP for place in places) - NODE_GAP for column, places in columns.items()}
    tallest = max(heights.values(), default=0)
    tops: dict[Place, float] = {}
    for column, places in columns.items():
        top = EDGE + (tallest - heights[column]) / 2
        for place in places:
            tops[place] = top
            top += _height(place) + NODE_GAP
    return tops, tallest + 2 * EDGE


def _line(points: list[tuple[float, float, float]]) -> str:
    """From the right side of the first place to the left side of the last; straight through the lanes between them."""
    x, y = points[0][0] + points[0][2], points[0][1]
    drawn = [f"M{x:.1f} {y:.1f}"]
    for place, (left, middle, width) in enumerate(points[1:], start=1):
        bend = (left - x) / 2
        drawn.append(f"C{x + bend:.1f} {y:.1f} {left - bend:.1f} {middle:.1f} {left:.1f} {middle:.1f}")
        if place < len(points) - 1:
            drawn.append(f"H{left + width:.1f}")
        x, y = left + width, middle
    return "".join(drawn)


def _width(node: Node, speaker: Speaker) -> float:
    texts = [speaker.text(node.label), *([speaker.text(node.note)] if node.note is not None else [])]
    return max(70.0, max(cells(shortened(text, MOST_NODE)) for text in texts) * UNIT + 22)


def _box(node: Node, x: float, y: float, width: float, speaker: Speaker) -> list[str]:
    mark = " marked" if node.is_marked else ""
    parts = [f'<rect class="node{mark}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{NODE_HEIGHT}" rx="6"/>']
    if node.note is None:
        return [*parts, _text(x + 10, y + NODE_HEIGHT / 2 + 5, speaker.text(node.label))]
    parts.append(_text(x + 10, y + 18, speaker.text(node.label)))
    return [*parts, _text(x + 10, y + 35, speaker.text(node.note), ' class="note"')]


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text{style} x="{x:.1f}" y="{y:.1f}">{escaped(shortened(text, MOST_NODE))}</text>'
