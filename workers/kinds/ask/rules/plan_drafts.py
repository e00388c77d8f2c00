"""A query as a model fills it in: results, conditions and an order. Code finds the joins and checks every name against the catalogue."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import Field, NonNegativeInt

from contracts.base import Contract, Text
from contracts.queries import Aggregate, Condition, Measure, Operator, Ordering, PlanJoin, QueryPlan, Selected, Source
from contracts.tables import JoinPath, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.sql.plan_check import nearest, plan_problems
from workers.saying import text_of


class Function(StrEnum):
    """What is computed of a column."""

    VALUE = "value"
    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"


class DraftedColumn(Contract):
    """A column of the result, or what the rows are ordered by."""

    column: Text = ""
    """`table.column`. Empty with `count`: rows are counted."""
    function: Function = Function.VALUE


class DraftedCondition(Contract):
    """A condition on rows; all of them must hold."""

    column: Text
    operator: Operator = Operator.EQUAL
    values: tuple[Text, ...] = Field(default=(), max_length=50)


class PlanDraft(Contract):
    """A query without its joins. Where something is aggregated, the other results are what it is grouped by."""

    tables: tuple[Text, ...] = Field(min_length=1, max_length=8)
    results: tuple[DraftedColumn, ...] = Field(min_length=1, max_length=12)
    conditions: tuple[DraftedCondition, ...] = Field(default=(), max_length=12)
    order: DraftedColumn | None = None
    descending: bool = False
    limit: NonNegativeInt = Field(default=0, le=10_000)
    """0: all rows."""


class NoSuchPlan(Exception):
    """What is wrong with a draft, for the model that wrote it."""


def plan_of(draft: PlanDraft, tables: Sequence[TableDetail], edges: Edges) -> QueryPlan:
    """The plan of a draft, checked. Raises `NoSuchPlan`."""
    names = _Names(tables)
    wanted = list(dict.fromkeys([*map(names.table, draft.tables), *(names.place(column)[0] for column in _columns(draft))]))
    paths = _paths(wanted, edges)
    sources = list(dict.fromkeys([*wanted[:1], *(end for path in paths for end in (path.left, path.right))]))
    selected = tuple(Selected(value=_measure(item, names)) for item in draft.results)
    order = _measure(draft.order, names) if draft.order is not None else None
    is_grouped = any(item.value.aggregate for item in selected) or (order is not None and order.aggregate is not None)
    plan = QueryPlan(
        sources=tuple(Source(table=table, alias=names.alias(table)) for table in sources),
        joins=tuple(
            PlanJoin(
                left=names.alias(path.left),
                left_columns=path.left_columns,
                right=names.alias(path.right),
                right_columns=path.right_columns,
                evidence=path.evidence,
            )
            for path in paths
        ),
        selected=selected,
        filters=tuple(_condition(item, names) for item in draft.conditions),
        group_by=tuple(item.value for item in selected if item.value.aggregate is None) if is_grouped else (),
        order_by=(Ordering(value=order, descending=draft.descending),) if order is not None else (),
        limit=draft.limit or None,
    )
    problems = plan_problems(plan, tables)
    if problems:
        raise NoSuchPlan(" ".join(text_of(problem, "en") for problem in problems[:3]))
    return plan


def _columns(draft: PlanDraft) -> Iterator[str]:
    items = [*draft.results, *([draft.order] if draft.order is not None else []), *draft.conditions]
    return (item.column for item in items if item.column)


class _Names:
    """Tables and columns as a model spells them."""

    def __init__(self, tables: Sequence[TableDetail]) -> None:
        self._all = {table.full_name: table for table in tables}
        self._tables = {table.full_name.casefold(): table for table in tables}
        self._tables |= {table.name.casefold(): table for table in tables if self._is_only(table)}

    def alias(self, table: str) -> str:
        """The name by which the plan refers to a table."""
        known = self._all[table]
        return known.name if self._is_only(known) else table.replace(".", "_")

    def _is_only(self, table: TableDetail) -> bool:
        """Whether no other schema has a table of this name."""
        return sum(known.name.casefold() == table.name.casefold() for known in self._all.values()) == 1

    def table(self, spelled: str) -> str:
        """The full name of a table."""
        found = self._tables.get(spelled.strip().casefold())
        if found is None:
            raise NoSuchPlan(f"There is no table {spelled}. The tables are: {', '.join(self._all)}.")
        return found.full_name

    def place(self, spelled: str) -> tuple[str, str]:
        """Table and column. A column without its table is found where only one table has it."""
        head, _, column = spelled.strip().rpartition(".")
        tables = [self._tables[head.casefold()]] if head.casefold() in self._tables else [] if head else list(self._all.values())
        found = [(table.full_name, known.name) for table in tables for known in table.columns if known.name.casefold() == column.casefold()]
        if len(found) == 1:
            return found[0]
        if found:
            raise NoSuchPlan(f"Several tables have a column {column}: write {' or '.join(f'{table}.{name}' for table, name in found)}.")
        known = [f"{table.full_name}.{item.name}" for table in self._all.values() for item in table.columns]
        raise NoSuchPlan(f"There is no column {spelled}. The nearest: {', '.join(nearest(spelled, known)) or ', '.join(known[:20])}.")

    def column(self, spelled: str) -> str:
        """The column as a plan writes it."""
        table, column = self.place(spelled)
        return f"{self.alias(table)}.{column}"


def _measure(item: DraftedColumn, names: _Names) -> Measure:
    aggregate = None if item.function is Function.VALUE else Aggregate(item.function.value)
    return Measure(column=names.column(item.column) if item.column else "", aggregate=aggregate)


def _condition(item: DraftedCondition, names: _Names) -> Condition:
    operator = Operator.IN if item.operator is Operator.EQUAL and len(item.values) > 1 else item.operator
    return Condition(column=names.column(item.column), operator=operator, values=item.values)


def _paths(tables: Sequence[str], edges: Edges) -> tuple[JoinPath, ...]:
    if len(tables) < 2:
        return ()
    trees = edges.trees(tables)
    if len(trees) != 1:
        raise NoSuchPlan(f"{' and '.join(tables)} can be joined {'in several ways' if trees else 'in no way'}. Use fewer tables.")
    return trees[0]
