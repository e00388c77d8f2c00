"""Which rows of a plan's sources may come more than once, because a join finds several partners for them."""

from collections.abc import Collection, Sequence

from contracts.queries import QueryPlan
from contracts.tables import TableDetail


def is_unique(table: TableDetail, columns: Collection[str]) -> bool:
    """Whether no two rows of the table have the same values in these columns, by its keys or by its number of values."""
    wanted = set(columns)
    if any(key and wanted >= set(key) for key in (table.primary_key, *table.unique)):
        return True
    counts = {column.name: column.distinct for column in table.columns}
    return bool(table.rows) and any(counts.get(name) == table.rows for name in wanted)


def multiplied(plan: QueryPlan, tables: Sequence[TableDetail]) -> set[str]:
    """Aliases of the sources whose rows a join may repeat. Counting or adding them up counts a row several times."""
    by_name = {table.full_name: table for table in tables}
    table_of = {source.alias: by_name[source.table] for source in plan.sources}
    steps: dict[str, list[tuple[str, bool]]] = {alias: [] for alias in table_of}
    for join in plan.joins:
        steps[join.left].append((join.right, not is_unique(table_of[join.right], join.right_columns)))
        steps[join.right].append((join.left, not is_unique(table_of[join.left], join.left_columns)))
    return {alias for alias in table_of if _is_repeated(alias, steps)}


def _is_repeated(start: str, steps: dict[str, list[tuple[str, bool]]]) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for other, repeats in steps[waiting.pop()]:
            if other in seen:
                continue
            if repeats:
                return True
            seen.add(other)
            waiting.append(other)
    return False
