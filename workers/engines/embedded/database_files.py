"""Tables of DuckDB and SQLite files, copied into the database file of a folder."""

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:  # only the children load it
    import duckdb

_SHOWN = 40
"""Characters of a value in a note."""

_VIEW_S, _VIEWS_S = 10.0, 60.0
"""Seconds in which a view is computed, and all views of a file. A view is a query that anybody wrote: one without an end would hold up the
folder."""
_MOST_ROWS = 1_000_000
"""Of a view."""
_AT_ONCE = 64 << 20
"""Bytes of rows."""
_SHORTEST = 1 << 20
_STEPS = 10_000
"""Of SQLite's machine, after which the time is looked at."""
_ENDLESS = "endless_view"
_INTERRUPTED = "interrupted"
"""What SQLite says of a statement that was given up."""


def copy_duckdb(connection: "duckdb.DuckDBPyConnection", path: Path, stem: str, taken: set[str]) -> list[list[str]]:
    """Each table and view of a DuckDB file, called `stem_table`. Notes on views that cannot be computed here."""
    import duckdb

    notes: list[list[str]] = []
    literal = "'" + str(path.resolve()).replace("'", "''") + "'"  # ATTACH takes no value
    connection.execute(f"ATTACH {literal} AS attached (READ_ONLY)")
    try:
        found = connection.execute(
            "SELECT schema_name, table_name, false FROM duckdb_tables() WHERE database_name = 'attached' AND NOT internal UNION ALL "
            "SELECT schema_name, view_name, true FROM duckdb_views() WHERE database_name = 'attached' AND NOT internal ORDER BY 3, 1, 2"
        ).fetchall()
        left_s = _VIEWS_S
        for schema, table, is_view in found:
            name = fresh(f"{stem}_{table}", taken)
            place = ".".join(quoted(part) for part in ("attached", schema, table))
            copied = f"CREATE TABLE {quoted(name)} AS SELECT * FROM {place}"  # noqa: S608 quoted identifiers
            if not is_view:
                connection.execute(copied)
                continue
            began = monotonic()
            try:
                with _interrupted(connection, min(left_s, _VIEW_S)):
                    connection.execute(f"{copied} LIMIT {_MOST_ROWS + 1}")
                is_endless = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()[0][0] > _MOST_ROWS  # noqa: S608
                note = [_ENDLESS, f"{path.name}, {table}"] if is_endless else None
            except duckdb.InterruptException:
                note = [_ENDLESS, f"{path.name}, {table}"]
            except duckdb.Error as error:
                note = ["not_read", f"{path.name}, {table}", str(error).partition("\n")[0][:300]]
            left_s -= monotonic() - began
            if note is not None:
                connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
                taken.discard(name.lower())
                notes.append(note)
    finally:
        connection.execute("DETACH attached")
    return notes


@contextmanager
def _interrupted(connection: "duckdb.DuckDBPyConnection", after_s: float) -> Generator[None]:
    """Interrupt what runs on the connection after a while."""
    timer = Timer(max(after_s, 0.001), connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def copy_sqlite(connection: "duckdb.DuckDBPyConnection", path: Path, stem: str, taken: set[str], text: Path) -> list[list[str]]:
    """By Python's own SQLite: DuckDB's reader is an extension that would have to be downloaded. Notes on columns that hold other values
    than their type says, which are texts, and on views that cannot be computed here. `text`: where rows are written on their way."""
    import duckdb

    notes: list[list[str]] = []
    place = f"file:{quote(path.resolve().as_posix())}?mode=ro"
    with closing(sqlite3.connect(place, uri=True, isolation_level=None)) as lite:
        of_users = "type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, rowid"
        found = lite.execute(f"SELECT name, type FROM sqlite_master WHERE {of_users}").fetchall()  # noqa: S608 a constant
        left_s = _VIEWS_S
        for table, sort in found:
            made = fresh(f"{stem}_{table}", taken)
            if sort == "table":
                notes += _copied(connection, lite, f"main.{quoted(table)}", _columns(lite, table), made, text)
                continue
            began = monotonic()
            try:
                columns = _columns(lite, table)
                try:
                    is_whole = _is_computed(lite, table, columns, began + min(left_s, _VIEW_S))
                finally:
                    left_s -= monotonic() - began
                if is_whole:
                    notes += _copied(connection, lite, f"temp.{quoted(table)}", columns, made, text)
                    continue
                note = [_ENDLESS, f"{path.name}, {table}"]
            except duckdb.OutOfMemoryException:
                raise
            except (sqlite3.Error, duckdb.Error) as error:
                is_late = str(error) == _INTERRUPTED
                note = [_ENDLESS, f"{path.name}, {table}"] if is_late else ["not_read", f"{path.name}, {table}", str(error)[:300]]
            finally:
                lite.execute(f"DROP TABLE IF EXISTS temp.{quoted(table)}")
            connection.execute(f"DROP TABLE IF EXISTS {quoted(made)}")
            taken.discard(made.lower())
            notes.append(note)
    return notes


def _columns(lite: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    return lite.execute("SELECT name, type FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 1", [table]).fetchall()


def _is_computed(lite: sqlite3.Connection, view: str, columns: list[tuple[str, str]], ends: float) -> bool:
    """Compute a view once, into a temporary table of its name whose columns have no type, so that no value changes; whether these are all
    of its rows. `ends`: when it is given up, as `monotonic` has it."""
    names = ", ".join(quoted(column) for column, _ in columns)
    lite.execute(f"CREATE TEMP TABLE {quoted(view)} ({names})")
    lite.set_progress_handler(lambda: monotonic() >= ends, _STEPS)
    try:
        lite.execute(f"INSERT INTO temp.{quoted(view)} SELECT {names} FROM main.{quoted(view)} LIMIT {_MOST_ROWS + 1}")  # noqa: S608
    finally:
        lite.set_progress_handler(None, 0)
    return lite.execute(f"SELECT count(*) FROM temp.{quoted(view)}").fetchall()[0][0] <= _MOST_ROWS  # noqa: S608 a quoted identifier


def _copied(
    connection: "duckdb.DuckDBPyConnection", lite: sqlite3.Connection, place: str, columns: list[tuple[str, str]], made: str, text: Path
) -> list[list[str]]:
    """Copy what is in `place` into the new table `made`; notes on its columns. The rows go as lines of JSON, many at once: as values of a
    statement, a thousand of them take seconds."""
    notes: list[list[str]] = []
    types: list[str] = []
    for column, kind in columns:
        held, example = _held(lite, place, column, _type(kind) if kind else "")
        types.append(held)
        notes += [["other_values", column, made, example]] if example is not None else []
    typed = ", ".join(f"{quoted(column)} {held}" for (column, _), held in zip(columns, types, strict=True))
    connection.execute(f"CREATE TABLE {quoted(made)} ({typed})")
    fields = {f"c{place_of}": "VARCHAR" for place_of in range(len(columns))}
    values = ", ".join(f"CAST({field} AS {held})" for field, held in zip(fields, types, strict=True))
    named = ", ".join(quoted(column) for column, _ in columns)
    cursor = lite.execute(f"SELECT {named} FROM {place}")  # noqa: S608 quoted identifiers
    while longest := _written(cursor, text):
        read = connection.read_json(str(text.resolve()), format="newline_delimited", columns=fields, maximum_object_size=longest)
        read.project(values).insert_into(quoted(made))
    return notes


def _written(cursor: sqlite3.Cursor, text: Path) -> int:
    """Write the next rows, as many as are copied at once; the bytes of the longest line, or of the shortest that a reader takes. Zero:
    there are none left."""
    size = longest = 0
    with text.open("wb") as lines:
        for row in cursor:
            line = json.dumps({f"c{place}": None if cell is None else str(_value(cell)) for place, cell in enumerate(row)}).encode()
            lines.write(line + b"\n")
            size, longest = size + len(line), max(longest, len(line) + 1, _SHORTEST)
            if size > _AT_ONCE:
                break
    return longest


def _held(lite: sqlite3.Connection, place: str, column: str, kind: str) -> tuple[str, str | None]:
    """The type that takes every value of a column, and a value that the declared one does not take: SQLite keeps any in any column."""
    if kind == "VARCHAR":
        return kind, None
    of, whole = f"FROM {place}", quoted(column)
    if not kind:  # a column without a type, and one of a view that computes it
        held = {found for (found,) in lite.execute(f"SELECT DISTINCT typeof({whole}) {of}")} - {"null"}
        kind = "BIGINT" if held and held.isdisjoint(("text", "blob")) else "VARCHAR"
        if kind == "VARCHAR" and held <= {"text", "blob"}:
            return kind, None
    other = lite.execute(f"SELECT {whole} {of} WHERE typeof({whole}) IN ('text', 'blob') LIMIT 1").fetchone()
    if other is not None:
        return "VARCHAR", str(_value(other[0]))[:_SHOWN]
    has_fractions = kind == "BIGINT" and lite.execute(f"SELECT 1 {of} WHERE typeof({whole}) = 'real' LIMIT 1").fetchone()
    return ("DOUBLE" if has_fractions else kind), None


def is_sqlite(path: Path) -> bool:
    """Whether a file begins as one of SQLite."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def _type(kind: str) -> str:
    """By SQLite's own rules of affinity; what they leave open is text, which every value is."""
    upper = kind.upper()
    if "INT" in upper:
        return "BIGINT"
    if any(word in upper for word in ("REAL", "FLOA", "DOUB", "NUM", "DEC")):
        return "DOUBLE"
    return "VARCHAR"


def _value(cell: Any) -> Any:
    return cell.hex() if isinstance(cell, bytes) else cell


def fresh(name: str, taken: set[str]) -> str:
    """The name, numbered where it is taken; it is taken then."""
    made, number = name, 2
    while made.lower() in taken:
        made, number = f"{name}_{number}", number + 1
    taken.add(made.lower())
    return made


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
