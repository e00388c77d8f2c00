"""The writers of exports: what a reader finds in the file again."""

import csv
import io
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import pytest

from contracts.sources import Lock, SourceLimits
from contracts.statements import say, seconds
from workers.errors import Conflict, InvalidInput, StatementRefused
from workers.sources.exporting import Exported, export_statement
from workers.sources.limits import Stream
from workers.sources.querying import Sources
from workers.sources.sessions.base import Batches


class Rows:
    """A source in which every statement yields these rows, and then perhaps runs out of time."""

    def __init__(self, columns: tuple[str, ...], rows: list[tuple[Any, ...]], *, is_late: bool = False) -> None:
        self._columns, self._rows, self._is_late = columns, rows, is_late

    @contextmanager
    def stream(self, *_: object, **__: object) -> Generator[SimpleNamespace]:
        def batches() -> Generator[list[tuple[Any, ...]]]:
            yield self._rows
            if self._is_late:
                raise StatementRefused(Lock.LIMITS, say("refused.source.out_of_time", limit=seconds(1)))

        yield SimpleNamespace(rows=Stream(Batches(self._columns, (), batches()), SourceLimits(), float("inf")))


def export(source: Rows, to: Path, **options: bool) -> Exported:
    return export_statement(cast("Sources", source), "s", "SELECT 1", owner="me", job_id=None, to=to, **options)


def read_parquet(path: Path) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
    with duckdb.connect() as connection:
        read = connection.read_parquet(str(path))
        return read.columns, [str(kind) for kind in read.types], read.fetchall()


def test_csv_quotes_what_needs_quotes(tmp_path: Path) -> None:
    rows = [("a,b", 'say "hi"', "two\nlines", None), ("上海", "", "x", -1.5)]
    export(Rows(("one", "two", "three", "four"), rows), tmp_path / "x.csv", exact=True)
    raw = (tmp_path / "x.csv").read_bytes()
    read = list(csv.reader(io.StringIO(raw.decode(), newline="")))

    assert read[1:] == [["a,b", 'say "hi"', "two\nlines", ""], ["上海", "", "x", "-1.5"]]
    assert raw.startswith(b"one,two,three,four\r\n")


def test_csv_is_safe_to_open_in_a_spreadsheet_unless_exact(tmp_path: Path) -> None:
    rows = [("=HYPERLINK(1)",), ("+1 555",), ("@x",), ("-12.50",), (-3,), ("plain",)]
    done = export(Rows(("=name",), rows), tmp_path / "people.csv")
    exact = export(Rows(("=name",), rows), tmp_path / "exact.csv", exact=True)
    text = (tmp_path / "people.csv").read_text("utf-8")

    assert text.startswith("\ufeff'=name")
    assert text.split()[1:] == ["'=HYPERLINK(1)", "'+1", "555", "'@x", "-12.50", "-3", "plain"]
    assert (done.guarded, exact.guarded) == (4, 0)
    assert (tmp_path / "exact.csv").read_text("utf-8").startswith("=name")


def test_parquet_keeps_types_and_nulls(tmp_path: Path) -> None:
    at = datetime(2025, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    row = (1, Decimal("10.50"), 0.1, True, date(2025, 1, 2), at.replace(tzinfo=None), time(1, 2), b"\x00\xff", "", {"a": [1]}, 2**70)
    export(Rows(tuple("abcdefghijk"), [row, (None,) * 11]), tmp_path / "x.parquet")
    _, kinds, rows = read_parquet(tmp_path / "x.parquet")

    assert kinds == [
        "BIGINT", "DECIMAL(4,2)", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP", "TIME", "BLOB", "VARCHAR", "VARCHAR", "DECIMAL(22,0)",
    ]  # fmt: skip
    assert rows[0][:9] == row[:9]
    assert rows[0][9] == '{"a":[1]}'
    assert rows[0][10] == 2**70
    assert rows[1] == (None,) * 11


def test_parquet_takes_no_rows_mixed_values_and_names_that_repeat(tmp_path: Path) -> None:
    export(Rows(("id", "ID", 'a"b'), [(1, 2, "x"), ("y", 2.5, 3)]), tmp_path / "mixed.parquet")
    export(Rows(("id",), []), tmp_path / "empty.parquet")

    assert read_parquet(tmp_path / "mixed.parquet") == (
        ["id", "ID_2", 'a"b'], ["VARCHAR", "DOUBLE", "VARCHAR"], [("1", 2.0, "x"), ("y", 2.5, "3")],
    )  # fmt: skip
    assert read_parquet(tmp_path / "empty.parquet")[2] == []


def test_rows_that_came_before_the_time_was_up_are_kept_and_it_is_said(tmp_path: Path) -> None:
    done = export(Rows(("n",), [(1,), (2,)], is_late=True), tmp_path / "x.csv")

    assert (done.rows, done.cut) == (2, "time")
    assert (tmp_path / "x.csv").exists()
    with pytest.raises(StatementRefused):
        export(Rows(("n",), [], is_late=True), tmp_path / "none.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_file_of_another_ending_an_existing_file_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    rows = Rows(("n",), [(1,)])
    (tmp_path / "x.csv").touch()

    with pytest.raises(InvalidInput, match=r"must end in \.csv or \.parquet"):
        export(rows, tmp_path / "x.xlsx")
    with pytest.raises(Conflict, match="--overwrite"):
        export(rows, tmp_path / "x.csv")
    with pytest.raises(InvalidInput, match="cannot be written"):
        export(rows, tmp_path / "away" / "x.csv")
