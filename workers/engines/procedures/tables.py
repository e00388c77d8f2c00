"""The tables that a conversation holds, as its user may see them."""

import re
from collections.abc import Iterator, Sequence

from contracts.procedure_results import Cell, HeldTable, Progress
from contracts.procedures import CallStep, ChartStep, CompareStep, Procedure, Sides

AFTER = "_after"
"""What the names of columns end with that hold the figures of after, in a table of a tool that simulates."""
BEFORE = "_before"
"""What the names of columns end with that hold the earlier figures, in a table that is shown beside an earlier one."""

_ROWS = re.compile(r"results\.(?P<step>[a-z][a-z0-9_]*)\.(?:rows|objects)")


def hidden_steps(procedure: Procedure) -> frozenset[str]:
    """The calls whose tables are only for expressions."""
    return frozenset(step.id for step in procedure.steps if isinstance(step, CallStep) and step.table is not None and step.table.hidden)


def visible_tables(procedure: Procedure, progress: Progress) -> dict[str, HeldTable]:
    """Step → table, in the order of the steps. A table that is compared with an earlier one has the figures of both, and takes the place of
    the earlier one if that measures the same: what a conversation goes on with is the newest measurement."""
    hidden = hidden_steps(procedure)
    found = {step.id: progress.tables[step.id] for step in procedure.steps if step.id in progress.tables and step.id not in hidden}
    for before, after, key in _side_by_side(procedure, progress):
        earlier, later = progress.tables[before], progress.tables[after]
        if after in found:
            found[after] = side_by_side(earlier, later, key)
            if set(earlier.columns) <= set(later.columns):
                found.pop(before, None)
    return found


def shown_in(procedure: Procedure, progress: Progress) -> dict[str, str]:
    """Step → the step whose table shows its figures too, beside newer ones."""
    return {before: after for before, after, _ in _side_by_side(procedure, progress)}


def _side_by_side(procedure: Procedure, progress: Progress) -> Iterator[tuple[str, str, str]]:
    tables = progress.tables
    for before, after, key in _compared(procedure):
        if before in tables and after in tables and key in tables[before].columns and key in tables[after].columns:
            yield before, after, key


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
    """The rows of after; a column of numbers that both tables have is there twice, the second time as `NAME_before`. A row that only the
    earlier table has comes last."""
    old, rows = {str(row.get(key, "")): row for row in before.as_objects()}, after.as_objects()
    twice = {
        column for column in after.columns
        if column != key and column in before.columns and column + BEFORE not in after.columns
        and any(_is_number(row[column]) for row in (*rows, *old.values()))
    }  # fmt: skip
    columns = [name for column in after.columns for name in ((column, column + BEFORE) if column in twice else (column,))]
    there = {str(row.get(key, "")) for row in rows}
    gone = [{key: row[key], **{column: row.get(column) for column in after.columns if column not in twice}} for row in old.values()]
    cells: list[tuple[Cell, ...]] = []
    for row in (*rows, *(row for row in gone if str(row[key]) not in there)):
        was = old.get(str(row.get(key, "")), {})
        both = {**row, **{column + BEFORE: was.get(column) for column in twice}}
        cells.append(tuple(both.get(column) for column in columns))
    count = max(after.row_count, len(cells))
    return after.model_copy(update={"columns": tuple(columns), "rows": tuple(cells), "row_count": count})


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def fullest(tables: Sequence[HeldTable], keys: Sequence[str]) -> HeldTable | None:
    """The newest table that has one of the rows. A table that shows only some of the columns of another one, as for a chart, is passed
    over."""
    having = [table for table in tables if set(keys) & {str(row.get(table.key, "")) for row in table.as_objects()}]
    full = [table for table in having if not any(set(table.columns) < set(other.columns) for other in having)]
    return full[-1] if full else None
