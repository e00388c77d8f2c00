"""Rows of a result as a table of a report."""

from contracts.ask.results import Cell, Queried
from contracts.statements import Shown, count, name, number, passage, say
from workers.engines.results.table import ColumnRole, ResultTable
from workers.kinds.base import ShowOptions
from workers.saying.document import Align, Column, Table

BRIEF_ROWS = 20
"""Rows that are shown, unless details are asked for."""

MOST_COLUMNS = 12


def table_block(found: Queried, options: ShowOptions) -> Table:
    """The first rows, and how many there are."""
    rows = found.rows if options.details else found.rows[:BRIEF_ROWS]
    width = len(found.columns) if options.details else min(len(found.columns), MOST_COLUMNS)
    roles = [column.role for column in ResultTable(found.columns, found.rows).columns]
    columns = tuple(
        Column(title=name(title), align=Align.RIGHT if roles[index] is ColumnRole.QUANTITY else Align.LEFT)
        for index, title in enumerate(found.columns[:width])
    )
    caption = say("ask.rows_shown", n=count(len(rows), exact=True), of=count(found.row_count, exact=True))
    return Table(
        columns=columns,
        rows=tuple(tuple(cell_shown(cell, roles[index]) for index, cell in enumerate(row[:width])) for row in rows),
        caption=caption if len(rows) < found.row_count or found.is_cut else None,
    )


def cell_shown(cell: Cell, role: ColumnRole) -> Shown:
    """A value; numbers that count something in the reader's way of writing them, all else as it is."""
    if cell is None:
        return name("null")
    if role is ColumnRole.QUANTITY and isinstance(cell, int | float) and not isinstance(cell, bool):
        return count(cell, exact=True) if isinstance(cell, int) else number(cell, 2 if abs(cell) < 1e6 else 0)
    return passage(str(cell))
