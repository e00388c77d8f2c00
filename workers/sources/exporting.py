"""The whole result of a statement as a file: CSV, or Parquet. Rows are written as they come."""

import csv
import json
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, Protocol, TextIO, cast
from uuid import UUID

from contracts.base import canonical_json
from contracts.sources import Lock
from contracts.statements import Name, passage, say
from workers.engines.embedded.process import OUT_OF_MEMORY, UNLIMITED_BYTES, EngineFailed, Limits, open_child
from workers.errors import Conflict, InvalidInput, StatementRefused
from workers.saying.reasons import name_taken
from workers.sources.limits import out_of_memory
from workers.sources.querying import Sources
from workers.sources.sessions.embedded import memory_bytes
from workers.sources.values import plain

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""A spreadsheet runs text that begins so as a formula (OWASP, CSV injection)."""

BYTE_ORDER_MARK = "\ufeff"
"""Without it, Excel reads UTF-8 as the code page of its machine."""

LINE_BYTES = 1 << 20
"""What DuckDB reserves for a line of JSON, unless a row is longer."""

WRITING_S = 3_600.0
"""Longest writing of a Parquet file; a source's own limit of time has ended before it begins."""

DECIMAL_DIGITS = 38
"""The most that Parquet's decimals have."""


class FileForm(StrEnum):
    """What an export is written as; the ending of its file."""

    CSV = "csv"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    rows: int
    cut: Literal["rows", "bytes", "time"] | None
    """The limit of the source at which the rows end; None: these are all."""
    guarded: int
    """Texts that begin like a formula and have an apostrophe before them."""


def form_of(path: Path) -> FileForm:
    """By the ending of the file. Raises `InvalidInput`."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in tuple(FileForm):
        raise InvalidInput.of(say("refused.export.ending", file=Name(text=path.name)))
    return FileForm(ending)


def export_statement(
    sources: Sources,
    source: str,
    statement: str,
    *,
    owner: str,
    job_id: UUID | None,
    to: Path,
    exact: bool = False,
    overwrite: bool = False,
) -> Exported:
    """Run a statement as an owner, and write its rows to a file, which appears when it is complete.

    A limit of the source ends the file early; `Exported.cut` says so. Raises as `Sources.query` does while there are no rows, and
    `Conflict` where the file exists. `exact`: see `_Csv`.
    """
    form = form_of(to)
    if to.exists() and (to.is_dir() or not overwrite):
        raise Conflict.of(name_taken(to))
    with _file_beside(to) as part:
        with _Parquet(part) if form is FileForm.PARQUET else _Csv(part, exact=exact) as writer:
            cut = _write_rows(sources, source, statement, owner, job_id, writer)
            with _file_errors(to):
                writer.finish()
        return Exported(writer.rows, cut, writer.guarded)


def export_rows(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], *, is_cut: bool, to: Path, exact: bool = False, overwrite: bool = False
) -> Exported:
    """The same for rows that are at hand. `is_cut`: they are not all."""
    form = form_of(to)
    if to.exists() and (to.is_dir() or not overwrite):
        raise Conflict.of(name_taken(to))
    with _file_beside(to) as part:
        with _Parquet(part) if form is FileForm.PARQUET else _Csv(part, exact=exact) as writer:
            writer.begin(columns)
            writer.write(rows)
            writer.finish()
        return Exported(writer.rows, "rows" if is_cut else None, writer.guarded)


class _Writer(Protocol):
    rows: int
    guarded: int

    def begin(self, columns: Sequence[str]) -> None: ...

    def write(self, rows: Sequence[Sequence[Any]]) -> None: ...

    def finish(self) -> None: ...


def _write_rows(
    sources: Sources, source: str, statement: str, owner: str, job_id: UUID | None, writer: _Writer
) -> Literal["rows", "bytes", "time"] | None:
    """The limit at which the rows end."""
    try:
        with sources.stream(source, statement, owner=owner, job_id=job_id) as running:
            with _file_errors(None):
                writer.begin(running.rows.columns)
            for batch in running.rows.batches():
                with _file_errors(None):
                    writer.write(batch)
        return running.rows.cut
    except StatementRefused as refusal:
        if refusal.lock is Lock.LIMITS and writer.rows:
            return "time"
        raise


@contextmanager
def _file_beside(to: Path) -> Generator[Path]:
    """A new file in the same folder, which takes the name at the end of the block; an error removes it."""
    part = to.with_name(f".{to.name[:100]}.{token_hex(4)}.part")
    with _file_errors(to):
        part.touch(exist_ok=False)
    try:
        yield part
        with _file_errors(to):
            part.replace(to)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _file_errors(to: Path | None) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = passage(error.strerror or str(error))
        says = (
            say("refused.export.no_write", reason=reason)
            if to is None
            else say("refused.export.no_write_to", file=Name(text=str(to)), reason=reason)
        )
        raise InvalidInput.of(says) from None


class _Csv:
    """RFC 4180 in UTF-8: comma, quotes where they are needed, CRLF. Null and the empty text are both an empty field.

    By default it is for people: a byte order mark, and an apostrophe before text that a spreadsheet would run as a formula. `exact` writes
    neither, for programs.
    """

    def __init__(self, path: Path, *, exact: bool) -> None:
        self.rows = 0
        self.guarded = 0
        self._exact = exact
        self._file: TextIO = path.open("w", encoding="utf-8", newline="")
        self._csv = csv.writer(self._file)

    def __enter__(self) -> "_Csv":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def begin(self, columns: Sequence[str]) -> None:
        if not self._exact:
            self._file.write(BYTE_ORDER_MARK)
        self._csv.writerow([self._field(column) for column in columns])

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        self._csv.writerows([self._field(plain(cell)) for cell in row] for row in rows)
        self.rows += len(rows)

    def finish(self) -> None:
        self._file.close()

    def _field(self, value: Any) -> Any:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, dict | list):
            return canonical_json(value)
        if isinstance(value, str) and not self._exact and value.startswith(FORMULA) and not _is_number(value):
            self.guarded += 1
            return f"'{value}"
        return value


def _is_number(text: str) -> bool:
    """A long decimal is text, and no formula."""
    return text.lstrip("+-").replace(".", "", 1).isdecimal()


class _Parquet:
    """Parquet by DuckDB, from lines of JSON in a temporary folder: the type of a column is known when all of its values have been seen."""

    def __init__(self, path: Path) -> None:
        self.rows = 0
        self.guarded = 0
        self._path = path
        self._columns: list[_ColumnType] = []
        self._names: list[str] = []
        self._longest = LINE_BYTES
        self._folder = tempfile.TemporaryDirectory(prefix="bullpen-export-")
        self._lines = Path(self._folder.name, "rows.jsonl")
        self._file: TextIO = self._lines.open("w", encoding="utf-8")

    def __enter__(self) -> "_Parquet":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._folder.cleanup()

    def begin(self, columns: Sequence[str]) -> None:
        self._names = _distinct(columns)
        self._columns = [_ColumnType() for _ in columns]

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        for row in rows:
            cells = {f"c{index}": column.text(value) for index, (column, value) in enumerate(zip(self._columns, row, strict=True))}
            line = json.dumps(cells) + "\n"
            self._file.write(line)
            self._longest = max(self._longest, len(line))
        self.rows += len(rows)

    def finish(self) -> None:
        self._file.close()
        chosen = [
            f"{column.cast(f'c{index}')} AS {_quoted(name)}"
            for index, (column, name) in enumerate(zip(self._columns, self._names, strict=True))
        ]
        asked = {
            "engine": "parquet", "lines": str(self._lines), "path": str(self._path.absolute()), "chosen": chosen, "longest": self._longest,
        }  # fmt: skip
        try:
            with open_child(Limits(2 * memory_bytes(), WRITING_S, UNLIMITED_BYTES), asked, within_s=WRITING_S):
                return
        except EngineFailed as error:
            if error.kind == OUT_OF_MEMORY:
                raise out_of_memory(error) from None
            raise OSError(str(error)[:300]) from None


class _ColumnType:
    """The narrowest type that holds all values of a column."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._scale = 0
        self._whole = 1
        """The most digits after and before the point."""

    def text(self, value: Any) -> str | None:
        """A value as the text that DuckDB casts back."""
        if value is None:
            return None
        name, text = _typed(value)
        if isinstance(value, int | Decimal) and name in ("INT", "DECIMAL"):
            _, digits, exponent = Decimal(value).as_tuple()
            scale = max(0, -int(exponent))
            self._scale = max(self._scale, scale)
            self._whole = max(self._whole, len(digits) + int(exponent))
        self._seen.add(name)
        return text

    def cast(self, column: str) -> str:
        """The column with its type."""
        kind = self._type()
        if kind == "BLOB":
            return f"unhex({column})"
        return column if kind == "VARCHAR" else f"CAST({column} AS {kind})"

    def _type(self) -> str:
        match sorted(self._seen):
            case ["INT"]:
                return "BIGINT" if self._whole <= 18 else self._decimal()
            case ["DECIMAL"] | ["DECIMAL", "INT"]:
                return self._decimal()
            case ["DOUBLE"] | ["DOUBLE", "INT"] | ["DECIMAL", "DOUBLE"] | ["DECIMAL", "DOUBLE", "INT"]:
                return "DOUBLE"
            case [kind]:
                return kind
            case _:
                return "VARCHAR"

    def _decimal(self) -> str:
        digits = self._whole + self._scale
        return f"DECIMAL({digits}, {self._scale})" if digits <= DECIMAL_DIGITS else "VARCHAR"


def _typed(value: Any) -> tuple[str, str]:
    """The type of a value, and its text."""
    match value:
        case bool():
            return "BOOLEAN", "true" if value else "false"
        case int():
            return "INT", str(value)
        case float():
            return "DOUBLE", repr(value)
        case Decimal():
            return ("DECIMAL", f"{value:f}") if value.is_finite() else ("DOUBLE", str(value))
        case datetime():
            return "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ", value.isoformat(" ")
        case date():
            return "DATE", value.isoformat()
        case time() if value.tzinfo is None:
            return "TIME", value.isoformat()
        case bytes() | bytearray() | memoryview():
            return "BLOB", bytes(cast("bytes", value)).hex()
        case _:
            shown = plain(value)
            return "VARCHAR", shown if isinstance(shown, str) else canonical_json(shown)


def _distinct(columns: Sequence[str]) -> list[str]:
    """Parquet wants names that differ, also in lower case."""
    found: list[str] = []
    taken: set[str] = set()
    for column in columns:
        name, number = column or "column", 2
        while name.casefold() in taken:
            name, number = f"{column or 'column'}_{number}", number + 1
        taken.add(name.casefold())
        found.append(name)
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
