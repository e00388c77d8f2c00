"""Ranges and graphs as inline SVG. Their colours are classes of the page's style sheet."""

from collections.abc import Mapping

from contracts.drawings import Graph, Node, Range, Ranges
from workers.saying.html_text import escaped
from workers.saying.layers import Lane, Place, columns_of, ends_last, rows_of, way_of, with_lanes
from workers.saying.spans import Speaker
from workers.saying.svg_text import UNIT, cells, every, label, round_ticks, shortened

WIDTH = 700
ROW = 26
BAR = 12
"""Height of a bar; the thin lines beside it are drawn at its middle."""
MOST_LABEL = 34
"""Narrow characters of a row's name."""
MOST_BESIDE = 26

NODE_HEIGHT, NODE_GAP, EDGE = 44, 14, 6
COLUMN_GAP = 48
LANE = 8
"""Units that a line takes where it passes a column."""
MOST_NODE = 42
"""Narrow characters of a node's label."""


def ranges_svg(block: Ranges, speaker: Speaker) -> str:
    """The rows under one scale."""
    low, high = block.scale()
    ticks = round_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    names = [speaker.text(row.name) for row in block.rows]
    beside = [speaker.text(block.beside(row)) for row in block.rows]
    left = max(60.0, max((cells(shortened(name, MOST_LABEL)) for name in names), default=0) * UNIT + 14)
    right = WIDTH - max(50.0, max((cells(shortened(text, MOST_BESIDE)) for text in beside), default=0) * UNIT + 14)

    def x(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    bottom = ROW * len(block.rows) + 4
    written = [speaker.text(block.shown(tick)) for tick in ticks]
    step = every(written, right - left)
    parts = [f'<path class="axis" d="M{x(tick):.1f} 0V{bottom}"/>' for tick in ticks]
    for place, (row, name, text) in enumerate(zip(block.rows, names, beside, strict=True)):
        middle = place * ROW + ROW / 2
        parts.append(label(left - 8, middle + 4, name, "end", most=MOST_LABEL))
        parts += _range(row, x(row.ends[0]), x(row.low), x(row.high), x(row.ends[1]), middle)
        if row.middle is not None:
            parts.append(f'<path class="middle" d="M{x(row.middle):.1f} {middle - BAR / 2 - 3}V{middle + BAR / 2 + 3}"/>')
        parts.append(label(right + 8, middle + 4, text, "start", most=MOST_BESIDE))
    parts += [label(x(tick), bottom + 16, text, "middle") for tick, text in list(zip(ticks, written, strict=True))[::step]]
    parts.append(label(right, bottom + 34, speaker.text(block.axis), "end", most=60))
    return _svg(WIDTH, bottom + 42, speaker.text(block.title), parts)


def _range(row: Range, least: float, low: float, high: float, greatest: float, middle: float) -> list[str]:
    colour = "s1" if row.is_marked else "s0"
    whiskers = [
        f'<path class="whisker {colour}" d="M{begin:.1f} {middle}H{end:.1f}"/>'
        for begin, end in ((least, low), (high, greatest))
        if end > begin
    ]
    return [*whiskers, f'<rect class="{colour}" x="{low:.1f}" y="{middle - BAR / 2}" width="{max(high - low, 1.5):.1f}" height="{BAR}"/>']


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
    return _svg(width, height, speaker.text(block.title), parts, scales=False)


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
        return [*parts, label(x + 10, y + NODE_HEIGHT / 2 + 5, speaker.text(node.label), "start", most=MOST_NODE)]
    note = escaped(shortened(speaker.text(node.note), MOST_NODE))
    parts.append(label(x + 10, y + 18, speaker.text(node.label), "start", most=MOST_NODE))
    return [*parts, f'<text class="note" x="{x + 10:.1f}" y="{y + 35:.1f}">{note}</text>']


def _svg(width: float, height: float, title: str, parts: list[str], *, scales: bool = True) -> str:
    """A drawing of the page's width, or of its own where its texts would become too small."""
    size = "" if scales else f' width="{width:.0f}" height="{height:.0f}"'
    drawing = "\n".join(parts)
    return f'<svg viewBox="0 0 {width:.0f} {height:.0f}"{size} role="img" aria-label="{escaped(title)}">\n{drawing}\n</svg>'
