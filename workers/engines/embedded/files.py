"""Files read and written by DuckDB: a folder's files copied into one database file, and rows written as Parquet."""

import csv
import gzip
import json
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workers.engines.embedded import dates, footers, headers, missing, nested, numerals, parts, ragged, totals
from workers.engines.embedded.database_files import copy_duckdb, copy_sqlite, fresh, is_sqlite, quoted
from workers.engines.embedded.parts import GZIP, READERS, suffix_of
from workers.engines.embedded.sniffing import EVERY_ROW, WHOLE, Options, Sniffed, as_texts, literal, reading, sniff, written
from workers.errors import InvalidInput

if TYPE_CHECKING:  # only the children load it
    import duckdb

    from workers.engines.embedded import workbooks

WORKBOOKS = frozenset({".xlsx", ".xlsm"})
SQLITE = frozenset({".sqlite", ".sqlite3", ".db"})
DUCKDB = frozenset({".duckdb", ".ddb"})
NOTES = ".notes"
"""Ending of the file beside the database file that says what was done with which file."""

_PIECE = 1 << 16
_TEXTS = (".csv", ".tsv")
_EVEN: Options = {**WHOLE, "header": "true", "delim": "','"}
"""By which a text is read that was written here."""


def make(opening: dict[str, Any]) -> None:
    """Copy the files into the new database file `path`, and write what was done beside it, `NOTES`. Raises the engines' errors."""
    import duckdb

    connection = duckdb.connect(opening["path"], config=opening["config"])
    text = Path(opening["path"] + ".text")
    texts = _texts(text)
    try:
        connection.execute("SET allowed_directories = ?", [[opening["folder"]]])
        connection.execute("SET allowed_paths = ?", [[str(path.resolve()) for path in texts]])
        connection.execute("SET enable_external_access = false")
        folder = Path(opening["folder"])
        copy = _Copy(connection, folder, text, opening["encoding"], opening["dates"])
        for files in parts.together(connection, [Path(path) for path in opening["files"]], folder):
            copy.take_or_leave(*files)
        if copy.fault is not None and not connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall()[0][0]:
            raise copy.fault
    finally:
        connection.close()
        for written in texts:
            written.unlink(missing_ok=True)
    Path(opening["path"] + NOTES).write_text(json.dumps(copy.notes), encoding="utf-8")


def write_parquet(opening: dict[str, Any]) -> None:
    """Write the lines of JSON, whose fields are texts `c0`, `c1` .., as Parquet with the columns that are `chosen` of them."""
    import duckdb

    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "1GB"}) as connection:
        fields = {f"c{index}": "VARCHAR" for index in range(len(opening["chosen"]))}
        read = connection.read_json(opening["lines"], format="newline_delimited", columns=fields, maximum_object_size=opening["longest"])
        read.project(", ".join(opening["chosen"])).write_parquet(opening["path"])


class _Copy:
    """Takes files into a database, one after another."""

    def __init__(self, connection: "duckdb.DuckDBPyConnection", folder: Path, text: Path, encoding: str, order: str) -> None:
        """`text`: where a file is written as UTF-8 while it is read; `encoding`: of those that are not UTF-8, as a person says it; `order`:
        which of day and month comes first where both may, `dmy` or `mdy`; empty: the day, with a note."""
        self._connection = connection
        self._folder = folder
        self._text = text
        self._encoding = encoding
        self._order = order
        self._taken: set[str] = set()
        self._sniffs: dict[tuple[str, str], Sniffed] = {}
        self.notes: list[list[str]] = []
        self.fault: Exception | None = None
        """The first because of which a file was left out."""

    def take_or_leave(self, called: str, files: Sequence[Path]) -> None:
        """Make tables of a file, or of several, or note why there is none. Raises `duckdb.OutOfMemoryException`."""
        import duckdb

        taken, notes = set(self._taken), len(self.notes)
        try:
            self.take(called, files)
        except duckdb.OutOfMemoryException:
            raise
        except (duckdb.Error, sqlite3.Error, csv.Error, EOFError, zlib.error, OSError, ArithmeticError) as error:
            for made in self._taken - taken:  # of a file that cannot be read to its end, nothing is kept
                with suppress(duckdb.Error):
                    self._connection.execute(f"DROP TABLE IF EXISTS {quoted(made)}")
            self._taken, self.notes[notes:] = taken, []
            message = str(error).strip()
            for path in (*files, *_texts(self._text)):  # a place on the server is nobody's business
                message = message.replace(str(path.resolve()), files[0].name)
            error.args = (message,)
            self.fault = self.fault or error
            self.notes.append(["not_read", files[0].name if len(files) == 1 else called, message.partition("\n")[0][:300]])

    def take(self, called: str, files: Sequence[Path]) -> None:
        """Make tables of a file, or one table of several."""
        path, stem = files[0], _table_name(called)
        suffix = suffix_of(path)
        if suffix in READERS:
            self._read(called, files, suffix, stem)
        elif suffix in WORKBOOKS:
            self._read_workbook(path, stem)
        elif suffix in DUCKDB:
            self.notes += copy_duckdb(self._connection, path, stem, self._taken)
        elif is_sqlite(path):
            self.notes += copy_sqlite(self._connection, path, stem, self._taken, self._text)

    def _read(self, called: str, files: Sequence[Path], suffix: str, stem: str) -> None:
        name, path, file = fresh(stem, self._taken), files[0], files[0].name
        is_several = len(files) > 1 or bool(parts.keys_of(path, self._folder))
        options = "" if suffix == ".parquet" else f", sample_size = {EVERY_ROW}"
        options += ", union_by_name = true, hive_partitioning = true" if is_several else ""
        statement = f"CREATE TABLE {quoted(name)} AS SELECT * FROM {READERS[suffix]}(?{options})"  # noqa: S608 the reader is ours
        is_made = True
        if suffix in _TEXTS:
            alone = partial(self._read_csv, name, called=file)
            is_made = self._read_parts(name, called, files) if is_several else self._in_utf8(self._plain(path), file, alone)
        elif is_several or suffix == ".parquet":
            self._connection.execute(statement, [[str(part.resolve()) for part in files]])
        else:
            is_made = self._in_utf8(self._plain(path), file, lambda text: self._connection.execute(statement, [str(text.resolve())]))
        if not is_made:
            self._taken.discard(name.lower())
        elif suffix not in (*_TEXTS, ".parquet"):
            if suffix == ".json" and (inside := nested.rows_inside(self._connection, name)):
                self.notes.append(["rows_inside", file, *inside])
            nested.unwrap(self._connection, name)
            self.notes += [["mixed", column, name, example] for column, example in nested.mixed_as_text(self._connection, name)]

    def _plain(self, path: Path) -> Path:
        """Where a text is that may be compressed."""
        if path.suffix.lower() != GZIP:
            return path
        with gzip.open(path) as packed, _unpacked(self._text).open("wb") as plain:
            shutil.copyfileobj(packed, plain, _PIECE)
        return _unpacked(self._text)

    def _in_utf8(self, path: Path, called: str, read: Callable[[Path], object]) -> bool:
        """Read a text, from a copy of it where it is not UTF-8; false where its encoding is not clear."""
        noted = len(self.notes)
        try:
            read(path)
        except Exception:
            if _is_utf8(path):
                raise
            del self.notes[noted:]
            if not self._as_utf8(path, called):
                return False
            read(self._text)
        return True

    def _read_parts(self, name: str, called: str, files: Sequence[Path]) -> bool:
        """One table of several CSVs: what they hold is written as one text, which is read as any is. `called`: what people call them."""
        whole, noted = fresh(f"{name}_whole", self._taken), len(self.notes)
        for path in files:
            plain, add = self._plain(path), partial(self._read_part, whole, called, parts.keys_of(path, self._folder))
            if plain.stat().st_size and not self._in_utf8(plain, called, add):
                self._connection.execute(f"DROP TABLE IF EXISTS {quoted(whole)}")
                return False
        self.notes[noted:] = [note for place, note in enumerate(self.notes[noted:]) if note not in self.notes[noted : noted + place]]
        self._text.unlink(missing_ok=True)  # in the place of one, it would be written beside it first
        self._connection.table(quoted(whole)).write_csv(str(self._text.resolve()), header=True)
        self._connection.execute(f"DROP TABLE {quoted(whole)}")
        self._taken.discard(whole.lower())
        self._sniffs.clear()
        self._fill_table(name, self._text, _EVEN, called)
        return True

    def _read_part(self, whole: str, called: str, keys: Mapping[str, str | None], text: Path) -> None:
        """Add the rows of one text to a table of texts."""
        text, options, nameless = self._prepared(text, called)
        texts = as_texts(self._sniffed(str(text.resolve()), options), options)
        part = fresh(f"{whole}_part", self._taken)
        read = f"CREATE TABLE {quoted(part)} AS SELECT * FROM read_csv(?{written(texts)})"  # noqa: S608 quoted identifiers
        self._taken.discard(part.lower())
        self._connection.execute(read, [str(text.resolve())])
        headers.drop_nameless(self._connection, part, nameless)
        parts.add(self._connection, whole, part, keys)

    def _read_csv(self, name: str, text: Path, called: str, *, is_sheet: bool = False) -> None:
        """A table of one text, whose header may be below a title or of two lines. `called`: what people call the text; `is_sheet`: its
        numbers are written by the program that wrote the text, not by a person."""
        text, options, nameless = self._prepared(text, called)
        self._fill_table(name, text, options, called, nameless, is_sheet=is_sheet)

    def _prepared(self, text: Path, called: str) -> tuple[Path, Options, Sequence[str]]:
        """The text without what is below its rows, the options by which it is read, and its columns that have no name."""
        self._sniffs.clear()
        if footer := footers.written_without(text, _whole(self._text)):
            self.notes.append(["footer", called, footer])
            text = _whole(self._text)
        place = str(text.resolve())
        seen, options = self._first_sniffed(place)
        mark = seen.quote or '"'
        rows = headers.rows_of(text, seen.delimiter, mark) if len(seen.delimiter) == 1 else []
        header = headers.header_of(rows, is_seen=seen.has_header or seen.skipped > 0)
        nameless = header.nameless if header else headers.nameless_in(rows[0]) if rows and seen.has_header and not seen.skipped else ()
        even = ragged.written_even(text, _even(self._text), seen.delimiter, mark) if rows and seen.skipped and header is None else []
        if even:
            self.notes.append(["ragged", called, ", ".join(even)])
            nameless = ()
            text, options = _even(self._text), _EVEN
        elif header is not None:
            names = ", ".join(map(literal, header.names))
            # it skips lines where it does not know the quote, and rows where it does
            signs = {"delim": literal(seen.delimiter), "quote": literal(mark)}
            options = {**options, "skip": str(header.rows), "header": "false", "names": f"[{names}]", **signs}
            if header.above or header.is_two:
                what = "two_headers" if header.is_two else "header"
                self.notes.append([what, called, ", ".join(header.names), str(header.above)])
        elif seen.skipped or (rows and headers.is_unclear(rows)):
            self.notes.append(["header_unclear", called])
        return text, options, nameless

    def _fill_table(
        self, name: str, text: Path, options: Options, called: str, nameless: Sequence[str] = (), *, is_sheet: bool = False
    ) -> None:
        options = self._created(name, str(text.resolve()), options, called)
        headers.drop_nameless(self._connection, name, nameless)
        self._mend(name, text, options, is_sheet=is_sheet)
        columns = list(missing.types_of(self._connection, name))
        if len(columns) == 1 and any(sign in columns[0] for sign in ",;|\t"):
            self.notes.append(["header_unclear", called])
        if totals.leave_total_out(self._connection, name):
            self.notes.append(["total", called])

    def _created(self, name: str, place: str, options: Options, called: str) -> Options:
        """Make the table of a CSV; the options that it was read with."""
        options = self._made(name, place, options)
        if signs := missing.signs_in(self._connection, name):
            before, trial = missing.types_of(self._connection, name), fresh(f"{name}_without", self._taken)
            without = self._made(trial, place, {**options, "nullstr": missing.listed(signs)})
            self._taken.discard(trial.lower())
            is_better = missing.are_missing(signs, before, missing.types_of(self._connection, trial))
            self._connection.execute(f"DROP TABLE {quoted(name if is_better else trial)}")
            if is_better:
                self._connection.execute(f"ALTER TABLE {quoted(trial)} RENAME TO {quoted(name)}")
                self.notes.append(["missing", called, ", ".join(signs)])
                return without
        return options

    def _made(self, name: str, place: str, options: Options) -> Options:
        if "dateformat" not in options:
            seen = self._sniffed(place, options)
            options = {**options, **dates.forms_of(self._connection, seen, place, options, self._order)}
        read = written(reading(self._sniffed(place, options), options))
        self._connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM read_csv(?{read})", [place])  # noqa: S608
        return options

    def _sniffed(self, place: str, options: Options) -> Sniffed:
        """Each reads all of the text, so it is done once."""
        key = place, written(options)
        if key not in self._sniffs:
            self._sniffs[key] = sniff(self._connection, place, options)
        return self._sniffs[key]

    def _first_sniffed(self, place: str) -> tuple[Sniffed, Options]:
        """And the options by which it can be: where a cell of the first line has a line break of its own, as Excel writes it, the reader
        does not know which of the two ends a row."""
        import duckdb

        try:
            return self._sniffed(place, WHOLE), WHOLE
        except duckdb.InvalidInputException:
            ends = {**WHOLE, "new_line": r"'\r\n'"}
            return self._sniffed(place, ends), ends

    def _read_workbook(self, path: Path, stem: str) -> None:
        """A table for each sheet that has rows; a workbook with one such sheet is one table, called as the file."""
        from workers.engines.embedded import workbooks

        try:
            named = workbooks.sheets(path)
        except InvalidInput as error:
            self.notes.append(["not_read", path.name, str(error)])
            return
        for sheet in named:
            with self._text.open("w", encoding="utf-8", newline="") as text:
                written = workbooks.write_sheet(path, sheet, text)
            if written.rows > 1:
                name = fresh(stem if len(named) == 1 else f"{stem}_{_table_name(sheet)}", self._taken)
                called = path.name if len(named) == 1 else f"{path.name}, {sheet}"
                self._fill(written, called)
                self._read_csv(name, self._text, called, is_sheet=True)
                if written.without_value:
                    self.notes.append(["formulas", called, str(written.without_value)])
            self._text.unlink()

    def _fill(self, written: "workbooks.Written", called: str) -> None:
        """Write what a cell holds that was merged over several rows into each of them."""
        from workers.engines.embedded import workbooks

        if not written.merged:
            return
        rows = headers.rows_of(self._text, ",", '"')
        header = headers.header_of(rows)
        first = header.rows if header else 1
        if filled := workbooks.fill_merged(self._text, written.merged, first):
            names = header.names if header else rows[0]
            self.notes.append(["merged", called, ", ".join(names[column] for column in filled if column < len(names))])

    def _mend(self, table: str, text: Path, options: Options, *, is_sheet: bool) -> None:
        """Read what the reader of CSV leaves as text, and say where it has guessed. `options`: with which the text was read."""
        place, numbers = str(text.resolve()), numerals.read_numbers(self._connection, table)
        if not is_sheet and any(what == "decimal_comma" for what, *_ in numbers):
            read = written(as_texts(self._sniffed(place, options), options))
            numbers += numerals.read_thousands(self._connection, table, place, f"read_csv(?{read})")
        self.notes += numbers
        self.notes += dates.read_written(self._connection, table)
        if self._order != "dmy":
            self.notes += dates.either_way(self._connection, table, self._sniffed(place, options))

    def _as_utf8(self, path: Path, called: str) -> bool:
        """Write a file again as UTF-8; false where its encoding is not clear."""
        from workers.engines import encodings

        read = encodings.decode(_sample(path), self._encoding, is_whole=False)
        if read.rival:
            self.notes.append(["left_out", called, read.encoding, read.rival])
            return False
        self.notes.append(["encoding", called, read.encoding])
        codec = encodings.CODECS[read.encoding]
        with path.open(encoding=codec, errors="replace", newline="") as old, self._text.open("w", encoding="utf-8", newline="") as new:
            shutil.copyfileobj(old, new, _PIECE)
        return True


def _sample(path: Path) -> bytes:
    """The beginning of a text, and lines beyond it that are not ASCII."""
    with path.open("rb") as file:
        found = [file.read(_PIECE)]
        size = 0
        for line in file:
            if size < _PIECE and not line.isascii():
                found.append(line[:_PIECE])
                size += len(line)
    return b"".join(found)


def _is_utf8(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8") as lines:
            return all(True for _ in lines)
    except UnicodeDecodeError:
        return False


def _even(text: Path) -> Path:
    """Where a text is written with as many values in each line."""
    return text.with_name(text.name + ".even")


def _whole(text: Path) -> Path:
    """Where a text is written without what is below its rows."""
    return text.with_name(text.name + ".whole")


def _unpacked(text: Path) -> Path:
    """Where a compressed text is written as it is."""
    return text.with_name(text.name + ".unpacked")


def _texts(text: Path) -> list[Path]:
    return [text, _even(text), _whole(text), _unpacked(text)]


def _table_name(stem: str) -> str:
    return re.sub(r"\W+", "_", stem).strip("_").lower() or "file"
