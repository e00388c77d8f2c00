"""How a CSV is written: its delimiter, quote, header, and the types of its columns, found by all of its rows. DuckDB reads by the types of
its first 20,480 rows by default, and casts what comes later to them: 2.5 is 3 in a column of whole numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # only the children load it
    import duckdb

Options = Mapping[str, str]
"""Option of `read_csv` → what it is, as SQL writes it."""

EVERY_ROW = "-1"
"""`sample_size`."""
WHOLE: Options = {"comment": "''", "sample_size": EVERY_ROW}
"""A row that begins with #N/A is a row."""
_NONE = "(empty)"


@dataclass(frozen=True, slots=True)
class Sniffed:
    """How a CSV is written; a sign that it has none of is empty."""

    delimiter: str
    quote: str
    escape: str
    new_line: str
    skipped: int
    """Lines above the header."""
    has_header: bool
    columns: tuple[tuple[str, str], ...]
    """Name and type of each."""
    dates: str
    moments: str
    """The forms of `strptime` in which they are read."""


def sniff(connection: "duckdb.DuckDBPyConnection", place: str, options: Options) -> Sniffed:
    """How the text at `place` is written. Raises `duckdb.Error`."""
    found = connection.execute(
        "SELECT Delimiter, Quote, Escape, NewLineDelimiter, SkipRows, HasHeader, Columns, DateFormat, TimestampFormat "  # noqa: S608 ours
        f"FROM sniff_csv(?{written(options)})",
        [place],
    ).fetchall()[0]
    delimiter, quote, escape, new_line = ("" if sign == _NONE else sign for sign in found[:4])
    columns = tuple((column["name"], column["type"]) for column in found[6])
    return Sniffed(delimiter, quote, escape, new_line, found[4], found[5], columns, found[7] or "", found[8] or "")


def reading(seen: Sniffed, options: Options) -> Options:
    """The options by which a text is read as it was sniffed, without its being looked at again."""
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in seen.columns)
    forms = {"dateformat": seen.dates, "timestampformat": seen.moments, "new_line": seen.new_line}
    return {
        **{option: options[option] for option in ("comment", "nullstr") if option in options},
        "auto_detect": "false", "delim": literal(seen.delimiter), "quote": literal(seen.quote), "escape": literal(seen.escape),
        "skip": str(seen.skipped), "header": str(seen.has_header), "columns": f"{{{columns}}}",
        **{option: literal(form) for option, form in forms.items() if form},
    }  # fmt: skip


def as_texts(seen: Sniffed, options: Options) -> Options:
    """The same, whose values are the characters of the text."""
    return reading(replace(seen, columns=tuple((name, "VARCHAR") for name, _ in seen.columns)), options)


def written(options: Options) -> str:
    """As they follow the place in a call."""
    return "".join(f", {option} = {value}" for option, value in options.items())


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
