""" "Who are our best customers?": a rank without a measure. The user chooses by what to rank."""

import re
from collections.abc import Iterator, Mapping, Sequence

from contracts.queries import Aggregate, Condition, Measure, Operator, Ordering, Period, PlanJoin, QueryPlan, Selected, Source
from contracts.tables import JoinPath, TableDetail
from contracts.times import TimeRange
from workers.engines.questions.event_times import event_times
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.known_by import shown_columns
from workers.engines.sql.build_values import NUMERIC
from workers.engines.sql.plan_shape import is_unique

_IGNORE = re.IGNORECASE
_RANK = re.compile(
    r"\b(?:best|top|biggest|largest|greatest|leading|main|major|key|strongest|most (?:important|valuable|active"
    r"|loyal|successful)|worst|smallest|"
    r"weakest|least (?:important|valuable|active|successful))\b|最(?:好|大|重要|有价值|优质|活跃|成功|强|差|小|弱)的?|头部|重点|核心|主要|优质|大(?=客户)",  # noqa: E501 a pattern
    _IGNORE,
)
_WORST = re.compile(r"\b(?:worst|smallest|weakest|least)\b|最(?:差|小|弱)", _IGNORE)
_MANY = re.compile(r"\b(\d{1,3})\b|前\s*(\d{1,3})")
_AMOUNT = re.compile(r"amount|revenue|total|value|volume|quantity|qty|sale_?price|sales|fee|cost|charge", _IGNORE)
_SOME = 10
"""Rows of a rank for which the user named no number."""

_MOST_AMOUNTS = 2


def rank_in(text: str) -> tuple[str, int] | None:
    """`top` or `bottom` with the number of rows, of a text that ranks; None: it does not."""
    if _RANK.search(text) is None:
        return None
    many = _MANY.search(text)
    return ("bottom" if _WORST.search(text) else "top", int(many[1] or many[2]) if many else _SOME)


def ranked_table(text: str, items: Sequence[Item]) -> str | None:
    """The table whose rows the question ranks without saying by what; None: it does not."""
    rank = _RANK.search(text)
    tables = [item for item in items if item.kind is Kind.TABLE]
    says_how = any(item.kind in (Kind.BY, Kind.COUNT, Kind.AGGREGATE, Kind.METRIC, Kind.COLUMN, Kind.MEASURE) for item in items)
    if rank is None or len(tables) != 1 or says_how or not tables[0].links:
        return None
    return tables[0].links[0].table


def rankings(
    table: str, tables: Sequence[TableDetail], paths: Sequence[JoinPath], text: str, items: Sequence[Item] = ()
) -> Iterator[QueryPlan]:
    """Plans that rank the rows of a table by what other tables hold of them: how many rows, and how much in total. A time and values among
    the words are conditions; a plan that has no column for one of them is left out."""
    for plan in _rankings(table, tables, paths, text):
        limited = _with_conditions(plan, tables, items)
        if limited is not None:
            yield limited


_SAID = (Kind.TABLE, Kind.MOST, Kind.LATEST, Kind.TOP, Kind.ASK, Kind.SHOW, Kind.STOP, Kind.NUMBER)
"""Words of a rank that are no condition."""

_DOING = re.compile(r"表现|表|现|perform\w*|doing|running|work\w*", _IGNORE)
"""Unknown words of a rank that say nothing of whom it is about."""


def _with_conditions(plan: QueryPlan, tables: Sequence[TableDetail], items: Sequence[Item]) -> QueryPlan | None:
    known = {table.full_name: table for table in tables}
    aliases = {source.table: source.alias for source in plan.sources}
    for item in items:
        if item.kind in _SAID or (item.kind is Kind.UNKNOWN and _DOING.fullmatch(item.text)):
            continue
        if item.kind is Kind.VALUE:
            link = next((link for link in item.links if link.table in aliases and link.column), None)
            if link is None:
                return None
            condition = Condition(column=f"{aliases[link.table]}.{link.column}", operator=Operator.EQUAL, values=(link.value,))
            plan = plan.model_copy(update={"filters": (*plan.filters, condition)})
        elif item.kind is Kind.TIME and isinstance(item.payload, TimeRange) and not plan.periods:
            last = plan.sources[-1]  # the table that is counted or added up
            times = event_times(known[last.table])
            if len(times) != 1:
                return None
            period = Period(column=f"{last.alias}.{times[0]}", start=item.payload.start, end=item.payload.end)
            plan = plan.model_copy(update={"periods": (period,)})
        else:
            return None
    return plan


def _rankings(table: str, tables: Sequence[TableDetail], paths: Sequence[JoinPath], text: str) -> Iterator[QueryPlan]:
    known = {detail.full_name: detail for detail in tables}
    children = list(_children(table, known, paths))
    chains = [(path,) for path in children]
    chains += [(path, further) for path in children for further in _children(path.right, known, paths) if further.right != table]
    for chain in chains:
        other = known[chain[-1].right]
        yield _ranking(known[table], chain, Measure(aggregate=Aggregate.COUNT), text)
        for column in _amounts(other)[:_MOST_AMOUNTS]:
            yield _ranking(known[table], chain, Measure(column=f"{_alias(other)}.{column}", aggregate=Aggregate.SUM), text)


def _children(table: str, known: Mapping[str, TableDetail], paths: Sequence[JoinPath]) -> Iterator[JoinPath]:
    """The joins to tables that hold several rows for each row of a table."""
    for path in paths:
        path = path if path.left == table else _turned(path)
        other = known.get(path.right)
        if path.left != table or other is None or path.right == table:
            continue
        if _is_parent(known[table], path.left_columns) and not _is_parent(other, path.right_columns):
            yield path


def _is_parent(table: TableDetail, columns: Sequence[str]) -> bool:
    return is_unique(table, set(columns))


def _turned(path: JoinPath) -> JoinPath:
    return path.model_copy(
        update={"left": path.right, "left_columns": path.right_columns, "right": path.left, "right_columns": path.left_columns}
    )


def _alias(table: TableDetail) -> str:
    return _last(table.name)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _ranking(own: TableDetail, chain: Sequence[JoinPath], measure: Measure, text: str) -> QueryPlan:
    left = _alias(own)
    shown = shown_columns(own) or list(chain[0].left_columns)
    groups = tuple(dict.fromkeys([*chain[0].left_columns, *shown]))
    many = _MANY.search(text)
    return QueryPlan(
        sources=(Source(table=own.full_name, alias=left), *(Source(table=path.right, alias=_last(path.right)) for path in chain)),
        joins=tuple(
            PlanJoin(
                left=_last(path.left),
                left_columns=path.left_columns,
                right=_last(path.right),
                right_columns=path.right_columns,
                evidence=path.evidence,
            )
            for path in chain
        ),
        selected=(*(Selected(value=Measure(column=f"{left}.{column}")) for column in shown), Selected(value=measure)),
        group_by=tuple(Measure(column=f"{left}.{column}") for column in groups),
        order_by=(Ordering(position=len(shown) + 1, descending=not _WORST.search(text)),),
        limit=int(many[1] or many[2]) if many else _SOME,
    )


def _amounts(table: TableDetail) -> list[str]:
    keys = {column for foreign in table.foreign_keys for column in foreign.columns} | set(table.primary_key)
    numbers = [column.name for column in table.columns if NUMERIC.search(column.type) and column.name not in keys]
    return [name for name in numbers if _AMOUNT.search(name) and not name.lower().endswith("id")]
