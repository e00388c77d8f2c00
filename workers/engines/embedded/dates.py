"""Dates and moments of a CSV: the form in which they are read, those that its reader leaves as text, and those that fit two forms."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers.engines.embedded import numerals
from workers.engines.embedded.database_files import quoted
from workers.engines.embedded.sniffing import Options, Sniffed, literal, written

if TYPE_CHECKING:  # only the children load it
    import duckdb

_WRITTEN = (
    ("DATE", ["%Y年%m月%d日", "%Y年%m月%d号"]),
    ("DATE", ["%d-%b-%y", "%d-%b-%Y", "%d %b %Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y"]),
    ("TIMESTAMP", ["%d-%b-%Y %H:%M:%S", "%d-%b-%Y %H:%M", "%b %d, %Y %I:%M:%S %p", "%b %d, %Y %I:%M %p", "%d/%b/%y %I:%M %p"]),
    ("TIMESTAMP", ["%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M"]),
    ("TIMESTAMP", ["%Y年%m月%d日 %H:%M:%S", "%Y年%m月%d日 %H:%M"]),
)
"""Dates and moments that the reader of CSV leaves as text: the type, and the forms of `strptime`."""
_LAST_YEAR = 2049
"""That a year of two digits is read as: 50 to 99 are of the century before, as Oracle's RR has it."""


def forms_of(connection: "duckdb.DuckDBPyConnection", seen: Sniffed, place: str, options: Options, order: str) -> Options:
    """The options of the forms in which dates and moments are read, where the reader of CSV is not to choose: it takes 04/07/20 for the
    year 2004, and the day first where both may be. `order`: which of day and month comes first then, `dmy` or `mdy`, or empty."""
    forms = {"dateformat": _short_form(connection, seen, place, options, order)}
    if order == "mdy":
        for option, kind, form in (("dateformat", "DATE", seen.dates), ("timestampformat", "TIMESTAMP", seen.moments)):
            other = re.sub(r"^%d(\W)%m", r"%m\1%d", form)
            if other != form and _fits(connection, [name for name, of in seen.columns if of == kind], other, place, options):
                forms[option] = other
    return {option: literal(form) for option, form in forms.items() if form}


def _fits(connection: "duckdb.DuckDBPyConnection", columns: Sequence[str], form: str, place: str, options: Options) -> bool:
    """Whether every value of these columns has the form."""
    tests = " AND ".join(f"bool_and({whole} IS NULL OR try_strptime({whole}, ?) IS NOT NULL)" for whole in map(quoted, columns))
    read = written({**options, "all_varchar": "true"})
    statement = f"SELECT {tests} FROM read_csv(?{read})"  # noqa: S608 quoted identifiers
    return bool(columns and connection.execute(statement, [*[form] * len(columns), place]).fetchall()[0][0])


def _short_form(connection: "duckdb.DuckDBPyConnection", seen: Sniffed, place: str, options: Options, order: str) -> str:
    """Of the forms with two digits for the year that fit every date, the one with the shortest time between the first date and the last;
    empty where the year has four."""
    found = seen.dates
    dates = [name for name, kind in seen.columns if kind == "DATE"]
    if not found.startswith("%y") or not dates:
        return ""
    sign, whole = found[2], quoted(dates[0])
    ours = [f"%d{sign}%m{sign}%y", f"%m{sign}%d{sign}%y"]
    forms = [*(reversed(ours) if order == "mdy" else ours), found]
    texts = written({**options, "all_varchar": "true"})
    days: list[tuple[int, int]] = []
    for place_of, form in enumerate(forms):
        read = f"try_strptime({whole}, ?)"
        span, fits = connection.execute(
            f"SELECT date_diff('day', min({read}), max({read})), bool_and({whole} IS NULL OR {read} IS NOT NULL) "  # noqa: S608
            f"FROM read_csv(?{texts})",
            [form, form, form, place],
        ).fetchall()[0]
        if fits and span is not None:
            days.append((span, place_of))
    fitting = [place_of for _, place_of in days if place_of < len(ours)]
    shortest = min(days, default=(0, len(ours)))
    return forms[fitting[0] if fitting and shortest[1] < len(ours) else len(ours)]


def read_written(connection: "duckdb.DuckDBPyConnection", table: str) -> list[list[str]]:
    """Make dates of the columns of which every value is one as 2025年1月3日 or, with a time, as 31.12.2024 14:05; notes on years of two
    digits."""
    notes: list[list[str]] = []
    for column in numerals.texts(connection, table):
        whole, table_named = quoted(column), quoted(table)
        for kind, forms in _WRITTEN:
            if numerals.all_fit(connection, table, f"{whole} IS NOT NULL", f"try_strptime({whole}, ?) IS NOT NULL", forms):
                listed = ", ".join(f"'{form}'" for form in forms)
                short = ", ".join(f"'{form}'" for form in forms if "%y" in form) or "NULL"
                is_short = f"try_strptime({whole}, [{short}]) IS NOT NULL"
                if connection.execute(f"SELECT 1 FROM {table_named} WHERE {is_short} LIMIT 1").fetchone():  # noqa: S608 quoted
                    notes.append(["short_years", column, table])
                read = f"strptime({whole}, [{listed}])"
                read = f"CASE WHEN {is_short} AND year({read}) > {_LAST_YEAR} THEN {read} - INTERVAL 100 YEAR ELSE {read} END"
                connection.execute(f"ALTER TABLE {table_named} ALTER {whole} TYPE {kind} USING CAST({read} AS {kind})")
                break
    return notes


def either_way(connection: "duckdb.DuckDBPyConnection", table: str, seen: Sniffed) -> list[list[str]]:
    """Notes on the columns of dates that were read with the day first, and in which day and month may be the other way round in every
    row. `seen`: as the text was read."""
    columns = connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND data_type IN ('DATE', 'TIMESTAMP')", [table]
    ).fetchall()
    either = [
        (column, kind)
        for column, kind in columns
        if connection.execute(f"SELECT max(day({quoted(column)})) <= 12 FROM {quoted(table)}").fetchall()[0][0]  # noqa: S608
    ]
    forms = {"DATE": seen.dates, "TIMESTAMP": seen.moments}
    return [["day_first", column, table] for column, kind in either if forms[kind].startswith(("%d/%m", "%d-%m"))]
