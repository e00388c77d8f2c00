"""Rows of a result as a table of a report."""

import math
from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from contracts.ask.results import Cell, Queried
from contracts.ask.steps import AskPlan
from contracts.base import Json
from contracts.statements import Sayable, Shown, code, count, name, number, passage, say, share
from workers.engines.results.table import ColumnRole, ResultTable, as_number
from workers.errors import InvalidInput
from workers.kinds.ask.rules.weekdays import weekday_word
from workers.kinds.base import ResultRows, ShowOptions
from workers.saying.document import Align, Column, Paragraph, Table, Tone

BRIEF_ROWS = 20
"""Rows that are shown, unless details are asked for."""

PAGE_ROWS = 50
"""Rows of a page."""

MOST_COLUMNS = 12

_DIGITS, _MOST_DIGITS = 2, 6
_SMALL = 10.0
"""Columns of larger numbers have two digits behind the point."""


def queried_in(plan: AskPlan) -> Queried | None:
    """The last result of a statement that ran; None when there is none."""
    results = plan.answer.results if plan.answer else ()
    return next((result for result in reversed(results) if isinstance(result, Queried) and result.columns), None)


def result_rows(content: Json) -> ResultRows | None:
    """What the rows of an answer came from; None when it has no rows."""
    try:
        found = queried_in(AskPlan.model_validate(content))
    except ValidationError:
        return None
    return None if found is None else ResultRows(found.source, found.sql, found.row_count, found.is_cut)


def table_block(found: Queried, options: ShowOptions) -> Table:
    """The first rows, and how many there are."""
    rows = found.rows if options.details else found.rows[:BRIEF_ROWS]
    width = len(found.columns) if options.details else min(len(found.columns), MOST_COLUMNS)
    values = {"n": count(len(rows), exact=True), "of": count(found.row_count, exact=True)}
    caption = say("ask.rows_shown_of_cut", **values) if found.is_cut else say("ask.rows_shown", **values)
    table = _table(found, rows, width, caption if len(rows) < found.row_count or found.is_cut else None)
    return table.model_copy(update={"left_out": len(found.rows) - len(rows)})


def page_block(found: Queried, page: int) -> Table:
    """A page of the rows that the job holds. Raises `InvalidInput` for a page that it has not."""
    pages = max(1, -(-len(found.rows) // PAGE_ROWS))
    if not 1 <= page <= pages:
        raise InvalidInput.of(
            say("ask.refused.no_page", page=name(page), rows=count(len(found.rows), exact=True), pages=count(pages, exact=True))
        )
    begin = (page - 1) * PAGE_ROWS
    rows = found.rows[begin : begin + PAGE_ROWS]
    values = {
        "first": count(min(begin + 1, len(found.rows)), exact=True), "last": count(begin + len(rows), exact=True),
        "of": count(found.row_count, exact=True), "page": count(page, exact=True), "pages": count(pages, exact=True),
    }  # fmt: skip
    caption = say("ask.rows_of_page_of_cut", **values) if found.is_cut else say("ask.rows_of_page", **values)
    return _table(found, rows, len(found.columns), caption)


def more_rows(found: Queried, options: ShowOptions) -> Iterator[Paragraph]:
    """How to get the rows that are not shown."""
    job = str(options.job_id)[-12:]
    shown = BRIEF_ROWS if options.page is None else PAGE_ROWS
    if options.job_id is None or (options.details and len(found.rows) == found.row_count) or found.row_count <= shown:
        return
    export = code(f"bullpen export {job} --to rows.csv")
    if options.has_buttons:
        if options.details:
            yield Paragraph(text=say("ask.rows_held_here", n=count(len(found.rows), exact=True)), tone=Tone.DIM)
    elif options.page is None and not options.details:
        yield Paragraph(text=say("ask.more_rows", page=code(f"bullpen show {job} --page 1"), export=export), tone=Tone.DIM)
    elif len(found.rows) < found.row_count:
        yield Paragraph(text=say("ask.rows_held", n=count(len(found.rows), exact=True), export=export), tone=Tone.DIM)


def _table(found: Queried, rows: Sequence[Sequence[Cell]], width: int, caption: Sayable | None) -> Table:
    table = ResultTable(found.columns, found.rows, frozenset(found.codes))
    roles = [column.role for column in table.columns]
    shares = {column.index for column in table.of(ColumnRole.QUANTITY) if table.is_share(column)}
    digits = [_digits([row[index] for row in rows]) for index in range(width)]
    columns = tuple(
        Column(title=name(title), align=Align.RIGHT if roles[index] is ColumnRole.QUANTITY else Align.LEFT)
        for index, title in enumerate(found.columns[:width])
    )
    return Table(
        columns=columns,
        rows=tuple(
            tuple(
                _day(found, index, cell) or cell_shown(cell, roles[index], digits[index], is_share=index in shares)
                for index, cell in enumerate(row[:width])
            )
            for row in rows
        ),
        caption=caption,
    )


def _day(found: Queried, index: int, cell: Cell) -> Shown | None:
    """The name of a day of the week, where the column holds its number."""
    return weekday_word(cell) if found.columns[index] in found.weekdays else None


def _digits(cells: Sequence[Cell]) -> int:
    """Digits behind the point that a column needs: two, or as many as show two digits of its smallest share."""
    sizes = [abs(value) for cell in cells if (value := as_number(cell))]
    if not sizes or max(sizes) >= _SMALL:
        return _DIGITS
    return max(_DIGITS, min(_MOST_DIGITS, 1 - math.floor(math.log10(min(sizes)))))


_EXACT = 1e12
"""Greater decimals are shown with all their digits."""


def cell_shown(cell: Cell, role: ColumnRole, digits: int = _DIGITS, *, is_share: bool = False) -> Shown:
    """A value; numbers that count something in the reader's way of writing them, parts of a whole in percent, all else as it is."""
    if cell is None:
        return name("null")
    if is_share and (part := as_number(cell)) is not None:
        return share(part, max(1, digits - 2))
    if role is ColumnRole.QUANTITY and isinstance(cell, int | float) and not isinstance(cell, bool):
        return count(cell, exact=True) if isinstance(cell, int) else number(cell, digits if abs(cell) < 1e6 else 0)
    if role is ColumnRole.QUANTITY and isinstance(cell, str) and (exact := as_number(cell)) is not None and abs(exact) < _EXACT:
        return number(exact, digits if abs(exact) < 1e6 else 0)  # a decimal with more digits than a float holds: an average
    return passage(str(cell))
