"""Which line of a table of texts names its columns, by the shape of the lines: titles above it fill few cells, values below it are
numbers and dates."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted

if TYPE_CHECKING:  # only the children load it
    import duckdb

MOST_ROWS = 200
"""Lines of a file that are looked at."""
MOST_CHARACTERS = 1 << 20
"""Read of a file for them: a line may be long."""

_NOTHING = frozenset({"", "-", "n/a", "na", "null", "none"})
"""Cells that say nothing of the type of their column."""
_IN_NUMBERS = frozenset("TZeE")
"""Letters of moments in ISO 8601 and of powers of ten."""
_YEARS = range(1900, 2101)
_MOST_OTHERS = 0.2
"""Of a column's values below its name: those that need not be of its type."""


@dataclass(frozen=True)
class Header:
    """The columns' names, and how many rows of the file end with them. `above`: rows before them that say something else."""

    names: tuple[str, ...]
    rows: int
    above: int
    is_two: bool
    nameless: tuple[str, ...] = ()
    """Names of ours, of columns that have none."""


def rows_of(path: Path, delimiter: str, quote: str) -> list[list[str]]:
    """The first rows of a file. A cell in quotes may have several lines."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        text = file.read(MOST_CHARACTERS).splitlines(keepends=True)
    reader = csv.reader(text, delimiter=delimiter, quotechar=quote)
    rows: list[list[str]] = []
    try:
        for row in islice(reader, MOST_ROWS):
            rows.append([cell.strip() for cell in row])
    except csv.Error:  # a field longer than any header
        pass
    return rows


def header_of(rows: Sequence[Sequence[str]], *, is_seen: bool = True) -> Header | None:
    """The header where it is not simply the first row, else None. `is_seen`: the reader of CSV takes a row for the header by itself."""
    width = max((_length(row) for row in rows), default=0)
    if width < 2:
        return None
    padded = [[*row, *[""] * width][:width] for row in rows]
    at = next((place for place in range(len(padded) - 1) if _names(padded, place)), None)
    if at is None:
        return None
    names, is_two = padded[at], False
    if at and _belong_together(padded[at - 1], names):
        names, is_two = _joined(padded[at - 1], names), True
    years = any(name.isdigit() for name in names)  # the reader of CSV takes a line with numbers for one of values
    is_over_values = any(_is_of_a_type([row[column] for row in padded[1:] if row[column]]) for column in range(width))
    if at == 0 and not years and not any(len(name.splitlines()) > 1 for name in names) and (is_seen or not is_over_values):
        return None
    above = sum(1 for row in padded[: at - is_two] if any(row))
    fresh = _fresh([" ".join(name.split()) for name in names])
    beyond = (f"column{place}" for place in range(width, max(map(len, rows))))  # delimiters at the end of each line
    nameless = (*(made for made, name in zip(fresh, names, strict=True) if not name), *beyond)
    return Header(tuple(fresh), at + 1, above, is_two, nameless)


def nameless_in(first: Sequence[str]) -> tuple[str, ...]:
    """How the reader of CSV names the columns without a name, of its first row."""
    return tuple(f"column{place}" for place, name in enumerate(first) if not name)


def drop_nameless(connection: "duckdb.DuckDBPyConnection", table: str, nameless: Sequence[str]) -> None:
    """Drop those of these columns that have no value: a delimiter at the end of each line, an empty column of a sheet."""
    whole = quoted(table)
    for column in nameless:
        held = "SELECT count(*) FILTER (column_name <> ?), count(*) FILTER (column_name = ?) FROM duckdb_columns() WHERE table_name = ?"
        others, itself = connection.execute(held, [column, column, table]).fetchall()[0]
        if others and itself and not connection.execute(f"SELECT count({quoted(column)}) FROM {whole}").fetchall()[0][0]:  # noqa: S608
            connection.execute(f"ALTER TABLE {whole} DROP COLUMN {quoted(column)}")


def is_unclear(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line, as it stands, looks like a title: it names at most half of the columns."""
    width = max((_length(row) for row in rows), default=0)
    return width > 1 and _is_title([*rows[0], *[""] * width][:width])


def _names(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a row names the columns: most cells are filled with texts, and values of a type are below one of them."""
    row, below = rows[place], rows[place + 1 :]
    if 2 * _filled(row) <= len(row) or not any(cell and not _is_typed(cell) for cell in row):
        return False
    columns = [[other[column] for other in below if other[column].lower() not in _NOTHING] for column in range(len(row))]
    if not all(_is_name(cell, values) for cell, values in zip(row, columns, strict=True)):
        return False
    is_unique = len({cell.lower() for cell in row if cell}) == _filled(row)
    if not is_unique and not (place and _belong_together(rows[place - 1], row)):
        return False
    if all(row) and is_unique and all(_is_title(other) for other in rows[:place]):
        return True
    return any(cell and _is_of_a_type(values) for cell, values in zip(row, columns, strict=True))


def _is_title(row: Sequence[str]) -> bool:
    """At most half of the cells are filled, from the left."""
    return 2 * _filled(row) <= len(row) and (bool(row[0]) or not any(row))


def _is_name(cell: str, values: Sequence[str]) -> bool:
    """A text, or a year over values that are not all years."""
    return not _is_typed(cell) or (_is_year(cell) and not all(map(_is_year, values)))


def _is_of_a_type(values: Sequence[str]) -> bool:
    others = sum(1 for value in values if not _is_typed(value))
    return bool(values) and _is_typed(values[0]) and others <= _MOST_OTHERS * len(values)


def _is_typed(cell: str) -> bool:
    """A number, a date or a time: digits, and no word."""
    return any(sign.isdigit() for sign in cell) and not cell[0].isalpha() and all(sign in _IN_NUMBERS for sign in cell if sign.isalpha())


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isascii() and cell.isdigit() and int(cell) in _YEARS


def _belong_together(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether the upper row has groups of what the lower names: it fills gaps of the lower, or tells the same names apart."""
    if _filled(upper) < 2:
        return False
    gaps = any(above and not cell for above, cell in zip(upper, lower, strict=True))
    joined = [name for name in _joined(upper, lower) if name]
    same = len(set(filter(None, lower))) < _filled(lower)
    return (gaps or same) and len(set(joined)) == len(joined)


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """`2024` over two cells `Q1` and `Q2` → `2024 Q1`, `2024 Q2`. What names a column alone, over an empty cell, is no group."""
    made: list[str] = []
    group = ""
    for above, cell in zip(upper, lower, strict=True):
        group = above or group
        made.append(" ".join(filter(None, (group, cell))) if cell else above)
        if not cell:
            group = ""
    return made


def _fresh(names: Iterable[str]) -> list[str]:
    """Each name once, as the reader of CSV names what has none and what is there twice."""
    made: list[str] = []
    taken: set[str] = set()
    for place, name in enumerate(names):
        first = name or f"column{place}"
        fresh, number = first, 1
        while fresh.lower() in taken:
            fresh, number = f"{first}_{number}", number + 1
        taken.add(fresh.lower())
        made.append(fresh)
    return made


def _filled(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell)


def _length(row: Sequence[str]) -> int:
    return max((place + 1 for place, cell in enumerate(row) if cell), default=0)
