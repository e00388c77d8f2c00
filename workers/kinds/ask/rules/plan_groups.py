"""A follow-up that names a group and nothing else, as a change of the plan before it: `by month`, 按品种, `per clinic instead`.

Measure, conditions and times stay. It is tried where no text says the same: after a change of the plan that the words of the question do
not have, or where its words no longer fit together.
"""

from collections.abc import Sequence

from contracts.queries import Measure, Ordering, PlanJoin, QueryPlan, Selected, Source, TimeUnit
from contracts.tables import JoinPath, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.questions.event_times import event_times
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.known_by import key_columns, shown_columns
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_shape import is_unique, multiplied

_SAID = (Kind.EACH, Kind.BY, Kind.COLUMN, Kind.TABLE, Kind.UNIT, Kind.STOP, Kind.ASK, Kind.SHOW)
_GROUPS = (Kind.COLUMN, Kind.TABLE, Kind.UNIT)
_WEAK = 0.75
"""Quality of a link above which the words are the name of a column or a table."""


def with_group(plan: QueryPlan, items: Sequence[Item], tables: Sequence[TableDetail], paths: Sequence[JoinPath]) -> QueryPlan | None:
    """The plan grouped by what the words name, in the place of what it was grouped by; None where the words say more, name nothing that the
    measured rows have a single one of, or may mean two things."""
    named = [item for item in items if item.kind in _GROUPS]
    if len(named) != 1 or any(item.kind not in _SAID for item in items) or not any(item.kind in (Kind.EACH, Kind.BY) for item in items):
        return None
    if named[0].kind is not Kind.UNIT and not _is_measured(plan):
        return None
    made = _by_unit(plan, named[0], tables) if named[0].kind is Kind.UNIT else _by_name(plan, named[0], tables, paths)
    return made if made is not None and not multiplied(made, tables) & _measured(plan) else None


def _is_measured(plan: QueryPlan) -> bool:
    return any(_is_measure(item) for item in plan.selected)


def _is_measure(item: Selected) -> bool:
    return item.value.aggregate is not None or item.relation is not None


def _measured(plan: QueryPlan) -> set[str]:
    """Aliases of the tables whose rows are counted or added up."""
    columns = {split(item.value.column)[0] for item in plan.selected if item.value.aggregate is not None and item.value.column}
    return columns or {source.alias for source in plan.sources[:1] if len(plan.sources) == 1}


def _regrouped(plan: QueryPlan, groups: Sequence[Measure], shown: Sequence[Measure], *, in_order: bool = False) -> QueryPlan:
    measures = tuple(item for item in plan.selected if _is_measure(item))
    order = (Ordering(position=1),) if in_order else ()
    return plan.model_copy(
        update={
            "selected": (*(Selected(value=measure) for measure in shown), *measures), "group_by": tuple(groups), "order_by": order,
            "limit": None, "having": (), "is_distinct": False,
        }
    )  # fmt: skip


def _by_unit(plan: QueryPlan, item: Item, tables: Sequence[TableDetail]) -> QueryPlan | None:
    """By a unit of the time that the plan is about: of its periods, of its groups, or the only time of its rows."""
    if not isinstance(item.payload, TimeUnit):
        return None
    by_name = {table.full_name: table for table in tables}
    columns = [period.column for period in plan.periods] or [measure.column for measure in plan.group_by if measure.unit is not None]
    if not columns:
        names = {source.alias: source.table for source in plan.sources}
        measured = _measured(plan)
        columns = [f"{alias}.{name}" for alias in sorted(measured) for name in event_times(by_name[names[alias]])]
    if len(set(columns)) != 1 or not _is_measured(plan):
        return None
    cut = Measure(column=columns[0], unit=item.payload)
    return _regrouped(plan, [cut], [cut], in_order=True)


def _by_name(plan: QueryPlan, item: Item, tables: Sequence[TableDetail], paths: Sequence[JoinPath]) -> QueryPlan | None:
    """By a column of the plan's tables, or of a table to which their rows belong."""
    best = max((link.quality for link in item.links), default=0.0)
    links = [link for link in item.links if link.quality >= max(best, _WEAK)]
    by_name = {table.full_name: table for table in tables}
    aliases = {source.table: source.alias for source in plan.sources}
    own = [link for link in links if link.table in aliases]
    if len(own or links) != 1:
        return None
    link = (own or links)[0]
    if not own:
        wider = _joined(plan, by_name[link.table], by_name, Edges(tables, paths))
        if wider is None:
            return None
        plan, aliases = wider, aliases | {link.table: by_name[link.table].name}
    groups, shown = _columns(link, by_name[link.table], aliases[link.table])
    return _regrouped(plan, groups, shown) if shown else None


def _columns(link: Link, table: TableDetail, alias: str) -> tuple[list[Measure], list[Measure]]:
    if link.column:
        return [Measure(column=f"{alias}.{link.column}")], [Measure(column=f"{alias}.{link.column}")]
    keys, shown = ([Measure(column=f"{alias}.{name}") for name in names] for names in (key_columns(table), shown_columns(table)))
    return list(dict.fromkeys([*keys, *shown])), shown or keys


def _joined(plan: QueryPlan, table: TableDetail, by_name: dict[str, TableDetail], edges: Edges) -> QueryPlan | None:
    """The plan with a table to which rows of exactly one of its tables belong."""
    found = [
        (source, path)
        for source in plan.sources
        if (path := edges.between(source.table, table.full_name)) is not None and is_unique(table, path.right_columns)
    ]
    if len(found) != 1 or any(by_name[source.table].name == table.name for source in plan.sources):
        return None
    source, path = found[0]
    join = PlanJoin(
        left=source.alias, left_columns=path.left_columns, right=table.name, right_columns=path.right_columns, evidence=path.evidence
    )
    return plan.model_copy(
        update={"sources": (*plan.sources, Source(table=table.full_name, alias=table.name)), "joins": (*plan.joins, join)}
    )
