"""The tables of ranges and graphs: for those who cannot see the drawing, and for media that do not draw."""

from collections.abc import Callable

from contracts.drawings import Graph, Node, Range, Ranges
from contracts.statements import Join, Shown, Term, listing, say, term
from workers.saying.document import Align, Column

Rows = tuple[tuple[Shown, ...], ...]
_Read = Callable[[Range], float | None]


def ranges_table(block: Ranges) -> tuple[tuple[Column, ...], Rows]:
    """A row for each bar, with a column for each number that at least one bar has."""
    numbers = [(title, read) for title, read in _numbers(block) if any(read(row) is not None for row in block.rows)]
    notes = any(row.note is not None for row in block.rows)
    columns = [Column(title=block.label), *(Column(title=title, align=Align.RIGHT, wraps=False) for title, _ in numbers)]
    rows: list[tuple[Shown, ...]] = []
    for row in block.rows:
        cells = [row.name, *("" if (value := read(row)) is None else block.shown(value) for _, read in numbers)]
        rows.append((*cells, row.note or "") if notes else tuple(cells))
    return (*columns, *([Column(title=term("saying.ranges.note"))] if notes else [])), tuple(rows)


def _numbers(block: Ranges) -> list[tuple[Term, _Read]]:
    """The bar of a spread covers the middle half of the values; a bar of anything else begins and ends."""
    if not any(row.middle is not None for row in block.rows):
        if all(row.low == 0 for row in block.rows):  # plain bars
            return [] if all(row.note is not None for row in block.rows) else [(term("saying.ranges.length"), lambda row: row.high)]
        return [(term("saying.ranges.low"), lambda row: row.low), (term("saying.ranges.high"), lambda row: row.high)]
    return [
        (term("saying.ranges.least"), lambda row: row.least),
        (term("saying.ranges.quarter"), lambda row: row.low),
        (term("saying.ranges.middle"), lambda row: row.middle),
        (term("saying.ranges.three_quarters"), lambda row: row.high),
        (term("saying.ranges.greatest"), lambda row: row.greatest),
    ]


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
