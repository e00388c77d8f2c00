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


def changed_rows(data: Data, more: Data, tables: Sequence[TableDetail], facts: Facts) -> Data:
    """The same keys with other values, as a later delivery has them. Every third row comes late: its times are a day earlier."""
    found: Data = {}
    for table in tables:
        name = table.full_name.lower()
        rows, other = data.get(name, []), more.get(name, [])
        known = facts.of(table)
        fixed = {column for key in known.keys for column in key} | {reference.column for reference in known.references}
        moments = {place for place, column in enumerate(table.columns) if held_kind(column) in (TypeKind.DATE, TypeKind.TIMESTAMP)}
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
