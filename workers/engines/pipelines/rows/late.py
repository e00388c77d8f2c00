"""Rows that arrive after the first run."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from contracts.tables import TableDetail
from workers.engines.sql.facts import Facts, TypeKind, held_kind
from workers.engines.sql.review.rows import Data, unique_rows
from workers.engines.sql.sandbox import Row

AHEAD = 1_000
"""Added to integer keys of later rows, so that no key is there already."""
LONG_AGO = 1_100
"""Days by which old rows are older than the others: in another year, so that a script that replaces part of a target leaves theirs."""


def later_rows(data: Data, more: Data, tables: Sequence[TableDetail], facts: Facts, look_back_days: int) -> Data:
    """The first rows with later ones behind them. Days of the later rows are at most `look_back_days` before the last day of their
    table: that is how late a row may be."""
    found: Data = {}
    for table in tables:
        name = table.full_name.lower()
        rows, added = data.get(name, []), more.get(name, [])
        keys = [place for place, column in enumerate(table.columns) if frozenset({column.name.lower()}) in facts.of(table).keys]
        if not rows or any(other.table == name for each in tables for other in facts.of(each).references):
            found[name] = rows  # referenced rows stay as they are, so that what refers to them still does
            continue
        shifted = [_later(row, table, keys, rows, number, look_back_days) for number, row in enumerate(added)]
        found[name] = [*rows, *(row for row in unique_rows(facts.of(table), [*rows, *shifted]) if row not in rows)]
    return found


def with_old_rows(data: Data, later: Data, tables: Sequence[TableDetail]) -> tuple[Data, Data, Data] | None:
    """The first rows, every third of them years older than all others in the one table that has times; then the same with the later rows;
    then without the old ones: what a source has that does not keep its rows for ever. None: no table has times, or several, whose rows
    would have to be old together."""
    dated = [table for table in tables if _moments(table) and data.get(table.full_name.lower())]
    if len(dated) != 1:
        return None
    name, moments = dated[0].full_name.lower(), _moments(dated[0])
    aged = data[name][::3]
    old = [tuple(_long_ago(cell) if place in moments else cell for place, cell in enumerate(row)) for row in aged]
    first, recent = ([row for row in rows[name] if row not in aged] for rows in (data, later))
    return {**data, name: [*old, *first]}, {**later, name: [*old, *recent]}, {**later, name: recent}


def changed_rows(data: Data, more: Data, tables: Sequence[TableDetail], facts: Facts) -> Data:
    """The same keys with other values, as a later delivery has them. Every third row comes late: its times are a day earlier."""
    found: Data = {}
    for table in tables:
        name = table.full_name.lower()
        rows, other = data.get(name, []), more.get(name, [])
        known = facts.of(table)
        fixed = {column for key in known.keys for column in key} | {reference.column for reference in known.references}
        moments = _moments(table)
        made: list[Row] = []
        for number, row in enumerate(rows):
            cells = list(row)
            for place, column in enumerate(table.columns):
                if column.name.lower() in fixed:
                    continue
                if place in moments and cells[place] is not None:
                    cells[place] = _on(cells[place], _moved(_day(cells[place]), -1 if number % 3 == 2 else 2))
                elif other and place not in moments:
                    cells[place] = other[number % len(other)][place]
            made.append(tuple(cells))
        found[name] = list(unique_rows(known, made))
    return found


def _later(row: Row, table: TableDetail, keys: list[int], before: list[Row], number: int, look_back_days: int) -> Row:
    cells = list(row)
    for place, column in enumerate(table.columns):
        if place in keys and isinstance(cells[place], int):
            cells[place] += AHEAD
        elif place in keys and isinstance(cells[place], str):
            cells[place] = f"{cells[place]}-{number}"
        elif held_kind(column) in (TypeKind.DATE, TypeKind.TIMESTAMP) and cells[place] is not None:
            last = max((_day(other[place]) for other in before if other[place] is not None), default=None)
            if last is not None:
                late = number % (look_back_days + 2) - 1 if look_back_days else -1
                cells[place] = _on(cells[place], _moved(last, -late))
    return tuple(cells)


def _moments(table: TableDetail) -> set[int]:
    """The places of the columns with days or times."""
    return {place for place, column in enumerate(table.columns) if held_kind(column) in (TypeKind.DATE, TypeKind.TIMESTAMP)}


def _long_ago(cell: Any) -> Any:
    return None if cell is None else _on(cell, _moved(_day(cell), -LONG_AGO))


def _moved(day: date, days: int) -> date:
    """A day later or earlier; the last day that there is ("until further notice") stays."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day


def _day(cell: Any) -> date:
    return cell.date() if isinstance(cell, datetime) else cell if isinstance(cell, date) else date.fromisoformat(str(cell)[:10])


def _on(cell: Any, day: date) -> Any:
    return datetime.combine(day, cell.time()) if isinstance(cell, datetime) else day
