"""Where a figure changed: the plan of a result, split by a further column. It is what data can say to a question for the reason."""

from collections.abc import Iterator, Sequence

from contracts.queries import Aggregate, Measure, Operator, Ordering, PlanJoin, QueryPlan, Selected, Source
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.questions.known_by import key_columns, shown_columns
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_check import is_numeric, is_temporal
from workers.engines.sql.plan_shape import is_unique, multiplied

MOST_SPLITS = 4
_FEWEST, _MOST = 2, 12
"""Distinct values of a column by which a figure is split."""
_MOST_ROWS = 50
"""Rows of a table by whose names a figure is split."""


def splits(plan: QueryPlan, tables: Sequence[TableDetail], paths: Sequence[JoinPath]) -> list[tuple[str, QueryPlan]]:
    """What the figure of a plan may be split by, and the plan for it: columns with few values, and names of what the rows belong to."""
    if not _measures(plan):
        return []
    by_name = {table.full_name: table for table in tables}
    found: list[tuple[str, QueryPlan]] = []
    for name, made in (*_by_columns(plan, by_name), *_by_owners(plan, by_name, Edges(tables, paths))):
        if not multiplied(made, tables) & _measured(made) and name not in {other for other, _ in found}:
            found.append((name, made))
    return found[:MOST_SPLITS]


def _measures(plan: QueryPlan) -> list[Selected]:
    return [item for item in plan.selected if item.value.aggregate is not None or item.relation is not None]


def _measured(plan: QueryPlan) -> set[str]:
    """Aliases of the tables whose rows are counted or added up."""
    columns = {item.value.column for item in _measures(plan) if item.value.column and item.value.aggregate is not Aggregate.COUNT_DISTINCT}
    return {split(column)[0] for column in columns} or {source.alias for source in plan.sources[:1] if len(plan.sources) == 1}


def _by_columns(plan: QueryPlan, tables: dict[str, TableDetail]) -> Iterator[tuple[str, QueryPlan]]:
    taken = {measure.column for measure in plan.group_by}
    taken |= {item.column for item in plan.filters if item.operator is Operator.EQUAL and not item.alternative}
    for source in plan.sources:
        table = tables[source.table]
        keys = {name for key in (table.primary_key, *(foreign.columns for foreign in table.foreign_keys)) for name in key}
        for column in table.columns:
            name = f"{source.alias}.{column.name}"
            if column.name not in keys and name not in taken and _is_kind(column):
                yield name, _with(plan, [Measure(column=name)], [Measure(column=name)])


def _is_kind(column: ColumnDetail) -> bool:
    """Whether a column says of what kind a row is."""
    number = len(column.values) or column.distinct or 0
    is_code = not is_numeric(column) or bool(column.values) or bool(column.description)
    return _FEWEST <= number <= _MOST and is_code and not is_temporal(column)


def _by_owners(plan: QueryPlan, tables: dict[str, TableDetail], edges: Edges) -> Iterator[tuple[str, QueryPlan]]:
    aliases = {source.alias for source in plan.sources}
    for source in plan.sources:
        for foreign in tables[source.table].foreign_keys:
            owner = next((table for table in tables.values() if foreign.table in (table.full_name, table.name)), None)
            if owner is None or owner.name in aliases or not _FEWEST <= (owner.rows or 0) <= _MOST_ROWS or not shown_columns(owner):
                continue
            path = edges.between(source.table, owner.full_name)
            if path is None or not is_unique(owner, path.right_columns):
                continue
            join = PlanJoin(
                left=source.alias,
                left_columns=path.left_columns,
                right=owner.name,
                right_columns=path.right_columns,
                evidence=path.evidence,
            )
            shown = [Measure(column=f"{owner.name}.{name}") for name in shown_columns(owner)]
            keys = [Measure(column=f"{owner.name}.{name}") for name in key_columns(owner)]
            wider = plan.model_copy(
                update={"sources": (*plan.sources, Source(table=owner.full_name, alias=owner.name)), "joins": (*plan.joins, join)}
            )
            yield shown[0].column, _with(wider, list(dict.fromkeys([*keys, *shown])), shown)


def _with(plan: QueryPlan, groups: Sequence[Measure], shown: Sequence[Measure]) -> QueryPlan:
    """The plan grouped by more, which is shown before the figure. The first rows of an order are no longer a limit."""
    place = next(index for index, item in enumerate(plan.selected) if item in _measures(plan))
    selected = (*plan.selected[:place], *(Selected(value=measure) for measure in shown), *plan.selected[place:])
    order = tuple(_moved(item, place, len(shown)) for item in plan.order_by)
    return plan.model_copy(
        update={"selected": selected, "group_by": (*plan.group_by, *groups), "order_by": order, "limit": None, "is_distinct": False}
    )


def _moved(order: Ordering, place: int, by: int) -> Ordering:
    if order.position is None or order.position <= place:
        return order
    return order.model_copy(update={"position": order.position + by})
