"""The table in the result of a tool that no procedure describes: a list of flat objects, or rows beside the names of their columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from contracts.base import Json
from contracts.procedure_results import Cell, HeldTable

MOST_ROWS = 500
MOST_COLUMNS = 40
_ABOUT = ("types", "execution_id")
"""What `query_source` says of its rows for programs."""
_COLUMNS, _ROWS, _COUNT = "columns", "rows", "row_count"


def table_in(result: Json, step: str) -> tuple[HeldTable | None, Json]:
    """The only table of a result, and what else the result holds. No table: what has several lists of rows, or cells that are no values,
    is shown as it came."""
    named = _named_rows(result)
    if named is not None and named[1]:
        columns, rows = named
        about = (_COLUMNS, _ROWS, _COUNT, *_ABOUT)
        rest = {name: value for name, value in result.items() if name not in about and value not in (None, "", [], {})}
        return _table(step, columns, rows, _row_count(result, len(rows))), rest
    lists = {name: rows for name, value in result.items() if (rows := _objects(value)) is not None}
    if len(lists) != 1:
        return None, result
    ((name, objects),) = lists.items()
    columns = tuple(dict.fromkeys(column for item in objects for column in item))
    if len(columns) > MOST_COLUMNS:
        return None, result
    rest = {key: value for key, value in result.items() if key not in (name, _COUNT)}
    return _table(step, columns, [[item.get(column) for column in columns] for item in objects], _row_count(result, len(objects))), rest


def _table(step: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], count: int) -> HeldTable:
    return HeldTable(step=step, key=columns[0], columns=tuple(columns), rows=tuple(map(tuple, rows[:MOST_ROWS])), row_count=count)


def _row_count(result: Json, held: int) -> int:
    """As the tool counts them, if its rows were cut."""
    count: Any = result.get(_COUNT)
    return max(held, count) if isinstance(count, int) and not isinstance(count, bool) else held


def _named_rows(result: Json) -> tuple[tuple[str, ...], list[list[Cell]]] | None:
    columns: Any = result.get(_COLUMNS)
    rows: Any = result.get(_ROWS)
    if not isinstance(columns, list) or not isinstance(rows, list) or not 0 < len(columns) <= MOST_COLUMNS:  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
        return None
    names: tuple[str, ...] = tuple(str(item.get("name", "") if isinstance(item, Mapping) else item) for item in columns)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType] as above
    are_rows = all(isinstance(row, list) and len(row) == len(names) and all(map(_is_cell, row)) for row in rows)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] as above
    return (names, rows) if are_rows else None  # pyright: ignore[reportUnknownVariableType] as above


def _objects(value: Any) -> list[dict[str, Cell]] | None:
    """The objects of a list, if all of them are flat."""
    if not isinstance(value, list) or not value:
        return None
    flat = all(isinstance(item, dict) and item and all(map(_is_cell, item.values())) for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType] as above
    return value if flat else None  # pyright: ignore[reportUnknownVariableType] as above


def _is_cell(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
