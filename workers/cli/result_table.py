"""The rows of a statement as a table of the terminal: columns that do not fit are named, never cut without a word."""

from collections.abc import Sequence

from rich.table import Table

from contracts.sources import QueryResult
from workers.cli.display import shown

_WIDEST = 24
"""Characters that a column asks for at most; longer values are continued on the next line."""

_BORDER = 3
"""Characters between two columns."""


def result_table(result: QueryResult, width: int) -> tuple[Table, tuple[str, ...]]:
    """The table, and the names of the columns for which a terminal of this width has no room."""
    widths = [_wanted(result, index) for index in range(len(result.columns))]
    fitting = columns_that_fit(widths, width)
    table = Table()
    for title, wanted in zip(result.columns[:fitting], widths, strict=False):
        table.add_column(shown(title), min_width=min(wanted, width - _BORDER - 1), overflow="fold")
    for row in result.rows:
        table.add_row(*("[dim]null[/]" if cell is None else shown(cell) for cell in row[:fitting]))
    return table, result.columns[fitting:]


def columns_that_fit(widths: Sequence[int], width: int) -> int:
    """How many columns of these widths fit beside each other; one at least."""
    used, fitting = 1, 0
    for wanted in widths:
        used += wanted + _BORDER
        if used > width and fitting:
            break
        fitting += 1
    return fitting


def _wanted(result: QueryResult, index: int) -> int:
    texts = [result.columns[index], *("null" if row[index] is None else str(row[index]) for row in result.rows)]
    return min(_WIDEST, max(len(line) for text in texts for line in (text.splitlines() or [""])))
