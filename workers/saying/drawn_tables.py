"""The tables of ranges, maps and graphs: for those who cannot see the drawing, and for media that do not draw."""

from collections.abc import Callable

from contracts.drawings import Graph, Node, Places, Range, Ranges
from contracts.statements import Join, Shown, Term, listing, say, term
from workers.saying.document import Align, Column

Rows = tuple[tuple[Shown, ...], ...]
_Read = Callable[[Range], float | None]


def ranges_table(block: Ranges) -> tuple[tuple[Column, ...], Rows]:
    """A row for each bar, with a column for each number that at least one bar has."""
    notes = any(row.note is not None for row in block.rows)
    says_all = _are_plain_bars(block) and all(row.note is not None for row in block.rows)
    numbers = [] if says_all else numbers_of(block)
    columns = [Column(title=block.label), *(Column(title=title, align=Align.RIGHT, wraps=False) for title, _ in numbers)]
    rows: list[tuple[Shown, ...]] = []
    for row in block.rows:
        cells = [row.name, *("" if (value := read(row)) is None else block.shown(value) for _, read in numbers)]
        rows.append((*cells, row.note or "") if notes else tuple(cells))
    return (*columns, *([Column(title=term("saying.ranges.note"))] if notes else [])), tuple(rows)


def numbers_of(block: Ranges) -> list[tuple[Term, _Read]]:
    """The numbers that at least one row has, with their titles. The bar of a spread covers the middle half of the values; a bar of anything
    else begins and ends."""
    if _are_plain_bars(block):
        return [(term("saying.ranges.length"), lambda row: row.high)]
    if not any(row.middle is not None for row in block.rows):
        return [(term("saying.ranges.low"), lambda row: row.low), (term("saying.ranges.high"), lambda row: row.high)]
    spread: list[tuple[Term, _Read]] = [
        (term("saying.ranges.least"), lambda row: row.least),
        (term("saying.ranges.quarter"), lambda row: row.low),
        (term("saying.ranges.middle"), lambda row: row.middle),
        (term("saying.ranges.three_quarters"), lambda row: row.high),
        (term("saying.ranges.greatest"), lambda row: row.greatest),
    ]
    return [(title, read) for title, read in spread if any(read(row) is not None for row in block.rows)]


def _are_plain_bars(block: Ranges) -> bool:
    return all(row.low == 0 and row.middle is None for row in block.rows)


MOST_PLACES = 50
"""Rows of a map's table: the file of its data has all of them."""


def places_table(block: Places) -> tuple[tuple[Column, ...], Rows]:
    """A row for each of the first places, with the quantities that are known of it."""
    columns = [Column(title=block.label), *(Column(title=by.title, align=Align.RIGHT) for by in block.colourings)]
    return tuple(columns), tuple(
        (place.name, *(block.shown(place, by) for by in block.colourings)) for place in block.places[:MOST_PLACES]
    )  # fmt: skip


def graph_table(block: Graph) -> tuple[tuple[Column, ...], Rows]:
    """A row for each thing, with what it is made from."""
    columns = (Column(title=term("saying.graph.node")), Column(title=term("saying.graph.from")))
    return columns, tuple((named(node), origins_of(block, node)) for node in block.nodes)


def named(node: Node) -> Shown:
    """A thing with its note."""
    return node.label if node.note is None else say("saying.aside", text=node.label, aside=node.note)


def origins_of(block: Graph, node: Node) -> Shown:
    """What a thing is made from; empty for a beginning."""
    labels = [origin.label for origin in block.origins(node.id)]
    return listing(*labels, join=Join.PLAIN) if labels else ""
