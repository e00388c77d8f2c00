"""The tables that a conversation holds, as its user may see them."""

import re
from collections.abc import Iterator, Sequence

from contracts.procedure_results import Cell, HeldTable, Progress
from contracts.procedures import CallStep, ChartStep, CompareStep, Procedure, Sides

AFTER = "_after"
"""What the names of columns end with that hold the figures of after."""

_ROWS = re.compile(r"results\.(?P<step>[a-z][a-z0-9_]*)\.(?:rows|objects)")


def hidden_steps(procedure: Procedure) -> frozenset[str]:
    """The calls whose tables are only for expressions."""
    return frozenset(step.id for step in procedure.steps if isinstance(step, CallStep) and step.table is not None and step.table.hidden)


def visible_tables(procedure: Procedure, progress: Progress) -> dict[str, HeldTable]:
    """Step → table, in the order of the steps. A table that is compared with an earlier one of the same columns has both figures."""
    hidden = hidden_steps(procedure)
    found = {step.id: progress.tables[step.id] for step in procedure.steps if step.id in progress.tables and step.id not in hidden}
    for before, after, key in _compared(procedure):
        if before in progress.tables and after in found and key in progress.tables[before].columns and key in found[after].columns:
            found[after] = side_by_side(progress.tables[before], found[after], key)
    return found


def _compared(procedure: Procedure) -> Iterator[tuple[str, str, str]]:
    """Two steps whose tables are compared, and the column that names a row in both."""
    pairs: dict[tuple[str, str], str] = {}
    for step in procedure.steps:
        spec = step.compare if isinstance(step, CompareStep) else step.chart if isinstance(step, ChartStep) else None
        if spec is None or spec.after is None or spec.after_suffix:
            continue
        before, after = _ROWS.fullmatch(spec.before.strip()), _ROWS.fullmatch(spec.after.strip())
        if before and after and before["step"] != after["step"]:
            pairs.setdefault((before["step"], after["step"]), spec.key)
    return ((before, after, key) for (before, after), key in pairs.items())


def sides_of(procedure: Procedure) -> Sides:
    """What before and after are called, if the procedure says so."""
    specs = [
        step.compare if isinstance(step, CompareStep) else step.chart
        for step in procedure.steps
        if isinstance(step, CompareStep | ChartStep)
    ]
    return next((spec.labels for spec in specs if spec.labels.before or spec.labels.after), Sides())


def side_by_side(before: HeldTable, after: HeldTable, key: str) -> HeldTable:
    """The rows of after; a column of numbers that both tables have is there twice, the second time as `NAME_after`."""
    old = {str(row.get(key, "")): row for row in before.as_objects()}
    rows = after.as_objects()
    twice = {
        column for column in after.columns
        if column != key and column in before.columns and column + AFTER not in after.columns
        and any(_is_number(row[column]) for row in rows)
    }  # fmt: skip
    columns: list[str] = []
    for column in after.columns:
        columns += [column, column + AFTER] if column in twice else [column]
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        was = old.get(str(row.get(key, "")), {})
        line: list[Cell] = []
        for column in after.columns:
            line += [was.get(column), row[column]] if column in twice else [row[column]]  # pyright: ignore[reportArgumentType] cells of a table
        cells.append(tuple(line))
    return after.model_copy(update={"columns": tuple(columns), "rows": tuple(cells)})


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def fullest(tables: Sequence[HeldTable], keys: Sequence[str]) -> HeldTable | None:
    """The newest table that has one of the rows. A table that shows only some of the columns of another one, as for a chart, is passed
    over."""
    having = [table for table in tables if set(keys) & {str(row.get(table.key, "")) for row in table.as_objects()}]
    full = [table for table in having if not any(set(table.columns) < set(other.columns) for other in having)]
    return full[-1] if full else None
