"""Rows of `bullpen source query` at any width."""

import io

import pytest
from rich.console import Console

from contracts.sources import QueryResult
from workers.cli.result_table import columns_that_fit, result_table


def made(columns: int, text: str = "a value of some length") -> QueryResult:
    return QueryResult(
        source="shop", columns=tuple(f"column_{number}" for number in range(columns)), types=("text",) * columns,
        rows=(tuple(f"{text} {number}" for number in range(columns)),), result_bytes=1, duration_ms=1, statement="SELECT 1",
        execution_id=1, locks=(),
    )  # fmt: skip


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("columns", [1, 3, 12, 30])
def test_every_value_is_there_or_its_column_is_named(width: int, columns: int) -> None:
    result = made(columns)
    table, hidden = result_table(result, width)
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    file = console.file
    assert isinstance(file, io.StringIO)
    lines = file.getvalue().splitlines()

    assert max(map(len, lines)) <= width
    assert len(table.columns) + len(hidden) == columns
    assert "…" not in file.getvalue()
    for number in range(columns - len(hidden)):
        assert f"column_{number}" in file.getvalue()


def test_a_single_column_is_always_shown() -> None:
    assert columns_that_fit([90, 10], 80) == 1
    assert columns_that_fit([10, 10], 80) == 2


def test_long_values_are_continued_and_not_cut() -> None:
    table, hidden = result_table(made(2, "word " * 30), 80)
    console = Console(file=io.StringIO(), width=80)
    console.print(table)
    file = console.file
    assert isinstance(file, io.StringIO)

    assert hidden == ()
    assert file.getvalue().count("word") == 60
