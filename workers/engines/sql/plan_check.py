"""Checks a query plan against the tables that are known: every name, every type, every aggregate, every join.

A model fills in plans as well, so nothing is taken for granted. A problem says what is wrong and which names come nearest.
"""

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import process
from rapidfuzz.fuzz import WRatio

from contracts.queries import Aggregate, Arithmetic, Condition, DatePart, Measure, Operator, QueryPlan, Related
from contracts.statements import Statement, count, member_term, name, names, quote, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.build_values import BOOLEAN, NUMERIC, TEMPORAL, as_number, split
from workers.engines.sql.facts import TypeKind, type_kind
from workers.engines.sql.plan_shape import multiplied
from workers.engines.sql.truth import holds_truth

_NEAREST = 3
_LIKE_ENOUGH = 60
"""WRatio above which a name is proposed."""
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WITHOUT_VALUES = (Operator.IS_NULL, Operator.NOT_NULL, Operator.IS_TRUE, Operator.IS_FALSE)
_SEVERAL_VALUES = (Operator.IN, Operator.NOT_IN)
_OF_TEXT = (Operator.CONTAINS, Operator.NOT_CONTAINS, Operator.STARTS_WITH)


def plan_problems(plan: QueryPlan, tables: Sequence[TableDetail]) -> tuple[Statement, ...]:
    """What is wrong with the plan; empty: SQL can be built from it."""
    checker = _Checker(plan, tables)
    found = tuple(dict.fromkeys(checker.of_names()))
    return found or tuple(dict.fromkeys((*checker.of_meaning(), *checker.of_shape())))


def nearest(wanted: str, known: Sequence[str]) -> list[str]:
    """The known names that look most like the wanted, best first."""
    found = process.extract(wanted, known, scorer=WRatio, limit=_NEAREST, score_cutoff=_LIKE_ENOUGH, processor=str.lower)
    return [str(match[0]) for match in found]


class _Checker:
    def __init__(self, plan: QueryPlan, tables: Sequence[TableDetail]) -> None:
        self._plan, self._tables = plan, tables
        self._by_name = {table.full_name: table for table in tables}
        self._scope = {source.alias: self._by_name.get(source.table) for source in plan.sources}

    def of_names(self) -> Iterator[Statement]:
        """Tables, aliases and columns that are not known."""
        plan = self._plan
        for source in plan.sources:
            if source.table not in self._by_name:
                yield self._unknown_table(source.table)
        for item in plan.related:
            if item.table not in self._by_name:
                yield self._unknown_table(item.table)
        if len(self._scope) < len(plan.sources):
            yield say("queries.problem.same_alias", names=names(source.alias for source in plan.sources))
        for join in plan.joins:
            for alias, columns in ((join.left, join.left_columns), (join.right, join.right_columns)):
                for column in columns:
                    yield from self._named(f"{alias}.{column}")
            if len(join.left_columns) != len(join.right_columns) or not join.left_columns:
                yield say("queries.problem.join_columns", left=name(join.left), right=name(join.right))
        for column in self._all_columns():
            yield from self._named(column)
        for item in plan.related:
            yield from self._related_names(item)

    def _related_names(self, item: Related) -> Iterator[Statement]:
        table = self._by_name.get(item.table)
        for column in item.source_columns:
            yield from self._named(f"{item.source}.{column}")
        if table is None:
            return
        for column in (*item.columns, *(split(condition.column)[1] for condition in item.conditions)):
            if column not in {known.name for known in table.columns}:
                yield _unknown_column(column, table)

    def _unknown_table(self, table: str) -> Statement:
        near = nearest(table, list(self._by_name))
        if near:
            return say("queries.problem.unknown_table_near", table=name(table), near=names(near))
        return say("queries.problem.unknown_table", table=name(table))

    def _named(self, column: str) -> Iterator[Statement]:
        alias, wanted = split(column)
        if not wanted or alias not in self._scope:
            yield say("queries.problem.unknown_alias", column=name(column), known=names(self._scope))
            return
        table = self._scope[alias]
        if table is not None and wanted not in {known.name for known in table.columns}:
            yield _unknown_column(wanted, table)

    def _measures(self) -> Iterator[Measure]:
        plan = self._plan
        for item in plan.selected:
            yield item.value
            if item.other is not None:
                yield item.other
        yield from plan.group_by
        yield from (item.value for item in plan.having)
        yield from (item.value for item in plan.order_by if item.value is not None)

    def _conditions(self) -> Iterator[Condition]:
        yield from self._plan.filters
        for measure in self._measures():
            yield from measure.where

    def _all_columns(self) -> Iterator[str]:
        for measure in self._measures():
            yield from filter(None, (measure.column, measure.operand))
        yield from (condition.column for condition in self._conditions())
        yield from (period.column for period in self._plan.periods)

    def _detail(self, column: str) -> ColumnDetail:
        alias, wanted = split(column)
        table = self._scope[alias]
        return next(known for known in (table.columns if table is not None else ()) if known.name == wanted)

    def of_meaning(self) -> Iterator[Statement]:
        """Types that do not fit what is done with a column, and values that it does not have."""
        for measure in self._measures():
            yield from self._measure(measure)
        for condition in self._conditions():
            yield from self._condition(condition, self._detail(condition.column))
        for item in self._plan.related:
            columns = {known.name: known for known in self._by_name[item.table].columns}
            for condition in item.conditions:
                yield from self._condition(condition, columns[split(condition.column)[1]])
        for period in self._plan.periods:
            if not is_temporal(detail := self._detail(period.column)):
                yield say("queries.problem.not_a_time", column=name(period.column), type=name(detail.type))
            if period.start is None and period.end is None:
                yield say("queries.problem.open_period", column=name(period.column))

    def _measure(self, measure: Measure) -> Iterator[Statement]:
        if not measure.column:
            if measure.aggregate != Aggregate.COUNT or measure.operator or measure.unit or measure.part:
                yield say("queries.problem.no_column")
            return
        if (measure.operator is None) == bool(measure.operand):
            yield say("queries.problem.operand", column=name(measure.column))
            return
        if measure.where and measure.aggregate is None:
            yield say("queries.problem.where_without_aggregate", column=name(measure.column))
        details = [self._detail(column) for column in (measure.column, measure.operand) if column]
        needs_time = measure.unit is not None or measure.part is not None or measure.operator == Arithmetic.DAYS_SINCE
        if needs_time:
            yield from (_not_a_time(detail) for detail in details if not is_temporal(detail))
            if measure.part is DatePart.HOUR and only_days(details[0]):
                yield say("queries.problem.only_days", column=name(measure.column))
        elif measure.operator is not None or measure.aggregate in (Aggregate.SUM, Aggregate.AVERAGE):
            yield from (_not_a_number(detail) for detail in details if not is_numeric(detail))

    def _condition(self, condition: Condition, detail: ColumnDetail) -> Iterator[Statement]:
        operator, values = condition.operator, condition.values
        needed = 0 if operator in _WITHOUT_VALUES or condition.aggregate is not None else 1
        if (len(values) != needed and operator not in _SEVERAL_VALUES) or (operator in _SEVERAL_VALUES and not values):
            yield say("queries.problem.values", column=name(condition.column), operator=member_term("queries.operator", operator))
            return
        if operator in (Operator.IS_TRUE, Operator.IS_FALSE) and detail.type and not holds_truth(detail):
            yield say("queries.problem.not_a_boolean", column=name(condition.column), type=name(detail.type))
        if operator in _OF_TEXT or condition.part is not None:
            return
        for value in values:
            if is_numeric(detail) and detail.type and as_number(value) is None:
                yield say("queries.problem.not_a_number", column=name(condition.column), value=quote(value))
            elif operator in (Operator.EQUAL, Operator.IN) and _is_strange(value, detail, condition.ignores_case):
                near = nearest(value, detail.values) or list(detail.values[:_NEAREST])
                yield say("queries.problem.no_such_value", column=name(condition.column), value=quote(value), near=names(near))

    def of_shape(self) -> Iterator[Statement]:
        """Sources that no join reaches, values that are neither grouped nor aggregated, rows that are counted several times."""
        yield from self._unjoined()
        plan = self._plan
        aggregated = bool(plan.group_by) or any(item.value.aggregate for item in plan.selected)
        for item in plan.selected:
            if item.other is not None and (item.relation is None or (item.value.aggregate is None) != (item.other.aggregate is None)):
                yield say("queries.problem.relation", column=name(item.value.column or item.label))
            if aggregated and item.value.aggregate is None and item.value not in plan.group_by and item.other not in plan.group_by:
                yield say("queries.problem.neither_grouped_nor_aggregated", column=name(item.value.column))
        yield from self._repeated()
        if any(item.aggregate is not None for item in plan.group_by):
            yield say("queries.problem.grouped_by_aggregate")
        for item in plan.order_by:
            if (item.position is None) == (item.value is None) or (item.position or 1) > len(plan.selected):
                yield say("queries.problem.order", selected=count(len(plan.selected)))

    def _unjoined(self) -> Iterator[Statement]:
        plan = self._plan
        rights = [join.right for join in plan.joins]
        first = next((source.alias for source in plan.sources if source.alias not in rights), plan.sources[0].alias)
        reached = {first}
        for join in plan.joins:
            if join.left not in reached or join.right in reached:
                yield say("queries.problem.join_order", left=name(join.left), right=name(join.right))
                return
            reached.add(join.right)
        if missing := [source.alias for source in plan.sources if source.alias not in reached]:
            yield say("queries.problem.not_joined", sources=names(missing))

    def _repeated(self) -> Iterator[Statement]:
        repeated = multiplied(self._plan, self._tables)
        for measure in self._measures():
            sums = measure.aggregate in (Aggregate.SUM, Aggregate.AVERAGE)
            if sums and split(measure.column)[0] in repeated and split(measure.operand or measure.column)[0] in repeated:
                yield say("queries.problem.repeated_rows", column=name(measure.column))


def is_numeric(column: ColumnDetail) -> bool:
    """Whether the column holds numbers, or its type is unknown."""
    return not column.type or (bool(NUMERIC.search(column.type)) and not BOOLEAN.search(column.type))


def is_temporal(column: ColumnDetail) -> bool:
    """Whether the column holds dates or times, or its type is unknown, or its values are ISO dates as text."""
    if column.holds_no_times:
        return False
    if not column.type or (TEMPORAL.search(column.type) and not re.match(r"time\b(?!stamp)", column.type, re.IGNORECASE)):
        return True
    samples = [value for value in (column.minimum, column.maximum, *column.values) if value]
    return not NUMERIC.search(column.type) and bool(samples) and all(_ISO_DAY.match(value) for value in samples)


def only_days(column: ColumnDetail) -> bool:
    """Whether the column holds days without their hours, which would all be 0. A `date` of some engines has hours: its bounds show them."""
    known = [value for value in (column.minimum, column.maximum, *column.values) if value]
    kind = type_kind(column.type)
    return (kind is TypeKind.DATE or (kind is TypeKind.TEXT and bool(known))) and all(len(value) <= len("2025-01-01") for value in known)


def _is_strange(value: str, column: ColumnDetail, ignores_case: bool) -> bool:
    """Whether the column's values are all known and this is not one of them."""
    if not column.values or is_numeric(column) or is_temporal(column) or BOOLEAN.search(column.type):
        return False
    if ignores_case:
        return value.lower() not in {known.lower() for known in column.values}
    return value not in column.values


def _unknown_column(column: str, table: TableDetail) -> Statement:
    near = nearest(column, [known.name for known in table.columns])
    if near:
        return say("queries.problem.unknown_column_near", column=name(column), table=name(table.full_name), near=names(near))
    return say("queries.problem.unknown_column", column=name(column), table=name(table.full_name))


def _not_a_time(column: ColumnDetail) -> Statement:
    return say("queries.problem.not_a_time", column=name(column.name), type=name(column.type))


def _not_a_number(column: ColumnDetail) -> Statement:
    return say("queries.problem.not_numeric", column=name(column.name), type=name(column.type))
