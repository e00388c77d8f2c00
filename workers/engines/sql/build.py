"""From a checked query plan to SQL of a dialect, by way of a syntax tree: no part of the text is put together from strings."""

from collections.abc import Sequence

from sqlglot import exp

from contracts.queries import (
    Aggregate,
    Arithmetic,
    Condition,
    GroupCondition,
    JoinKind,
    Measure,
    Operator,
    Ordering,
    Period,
    PlanJoin,
    QueryPlan,
    Related,
    Relation,
    Selected,
)
from contracts.tables import TableDetail
from workers.engines.sql.build_time import cut, days_between, moment, part_of
from workers.engines.sql.build_values import Columns, contains, literal, truth

_COMPARISONS: dict[Operator, type[exp.Binary]] = {
    Operator.EQUAL: exp.EQ,
    Operator.NOT_EQUAL: exp.NEQ,
    Operator.GREATER: exp.GT,
    Operator.GREATER_EQUAL: exp.GTE,
    Operator.LESS: exp.LT,
    Operator.LESS_EQUAL: exp.LTE,
}
_ARITHMETIC: dict[Arithmetic, type[exp.Binary]] = {Arithmetic.PLUS: exp.Add, Arithmetic.MINUS: exp.Sub, Arithmetic.TIMES: exp.Mul}
_AGGREGATES: dict[Aggregate, type[exp.AggFunc]] = {
    Aggregate.SUM: exp.Sum,
    Aggregate.AVERAGE: exp.Avg,
    Aggregate.MINIMUM: exp.Min,
    Aggregate.MAXIMUM: exp.Max,
}


def build_sql(plan: QueryPlan, tables: Sequence[TableDetail], dialect: str, *, pretty: bool = True) -> str:
    """The statement in the dialect of the source (`sqlite`, `duckdb`, `postgres`, `mysql`, ...). The plan must have passed the check."""
    return build_tree(plan, tables, dialect).sql(dialect=dialect, pretty=pretty, comments=False)


def build_tree(plan: QueryPlan, tables: Sequence[TableDetail], dialect: str) -> exp.Select:
    """The syntax tree of the statement."""
    return _Builder(plan, tables, dialect).select()


class _Builder:
    def __init__(self, plan: QueryPlan, tables: Sequence[TableDetail], dialect: str) -> None:
        self._plan, self._dialect = plan, dialect
        self._columns = Columns(plan, tables)

    def select(self) -> exp.Select:
        plan = self._plan
        selected = [self._selected(item) for item in plan.selected]
        query = exp.select(
            *(
                exp.alias_(value, item.label, quoted=True) if item.label else value
                for item, value in zip(plan.selected, selected, strict=True)
            )
        )
        query = self._from(query)
        for condition in self._conditions():
            query = query.where(condition, copy=False)
        if plan.group_by:
            query = query.group_by(*(self._measure(item) for item in plan.group_by), copy=False)
        for item in plan.having:
            query = query.having(self._having(item), copy=False)
        if plan.order_by:
            query = query.order_by(*(self._ordered(item, selected) for item in plan.order_by), copy=False)
        if plan.limit is not None:
            query = query.limit(plan.limit, copy=False)
        return query.distinct(copy=False) if plan.is_distinct else query

    def _from(self, query: exp.Select) -> exp.Select:
        plan = self._plan
        joined = {join.right for join in plan.joins}
        first = next((source for source in plan.sources if source.alias not in joined), plan.sources[0])
        query = query.from_(self._columns.table(first.alias), copy=False)
        for join in plan.joins:
            side = "left" if join.kind == JoinKind.LEFT else "inner"
            query = query.join(self._columns.table(join.right), on=self._on(join), join_type=side, copy=False)
        return query

    def _on(self, join: PlanJoin) -> exp.Expr:
        pairs = zip(join.left_columns, join.right_columns, strict=True)
        return exp.and_(
            *(exp.EQ(this=self._columns.of(join.left, left), expression=self._columns.of(join.right, right)) for left, right in pairs)
        )

    def _conditions(self) -> list[exp.Expr]:
        plan = self._plan
        made = self._all_of(plan.filters)
        made += [self._exists(item) for item in plan.related]
        made += [part for period in plan.periods for part in self._period(period)]
        return made

    def _all_of(self, conditions: Sequence[Condition]) -> list[exp.Expr]:
        """The members of an AND; alternatives become a member with OR."""
        made: list[exp.Expr] = [self._condition(item) for item in conditions if not item.alternative]
        for number in sorted({item.alternative for item in conditions if item.alternative}):
            made.append(exp.or_(*(self._condition(item) for item in conditions if item.alternative == number)))
        return made

    def _period(self, period: Period) -> list[exp.Expr]:
        made: list[exp.Expr] = []
        column = self._columns.named(period.column)
        for bound, kind in ((period.start, exp.GTE), (period.end, exp.LT)):
            if bound is not None:
                made.append(kind(this=column.copy(), expression=moment(bound, self._columns.type_of(period.column), self._dialect)))
        return made

    def _exists(self, item: Related) -> exp.Expr:
        inner = exp.select(exp.Literal.number(1)).from_(self._columns.related(item))
        for left, right in zip(item.source_columns, item.columns, strict=True):
            inner = inner.where(exp.EQ(this=self._columns.in_related(item, right), expression=self._columns.of(item.source, left)))
        for condition in self._all_of(item.conditions):
            inner = inner.where(condition)
        found = exp.Exists(this=inner)
        return found if item.exists else exp.Not(this=found)

    def _condition(self, item: Condition) -> exp.Expr:
        column: exp.Expr = self._columns.named(item.column)
        if item.part is not None:
            column = part_of(column, item.part, self._dialect)
        if item.aggregate is not None:
            return _COMPARISONS[item.operator](this=column, expression=self._overall(item))
        type_ = "integer" if item.part is not None else self._columns.type_of(item.column)
        return self._compared(column, item.operator, item.values, type_, item.ignores_case)

    def _overall(self, item: Condition) -> exp.Expr:
        """The aggregate of a column over all rows that the plan's other conditions leave."""
        query = exp.select(self._aggregate(self._columns.named(item.column), item.aggregate or Aggregate.MAXIMUM))
        query = self._from(query)
        for condition in self._all_of([other for other in self._plan.filters if other.aggregate is None]):
            query = query.where(condition)
        for period in self._plan.periods:
            for part in self._period(period):
                query = query.where(part)
        return exp.Subquery(this=query)

    def _compared(self, column: exp.Expr, operator: Operator, values: Sequence[str], type_: str, ignores_case: bool = False) -> exp.Expr:
        if operator in (Operator.IS_NULL, Operator.NOT_NULL):
            null = exp.Is(this=column, expression=exp.Null())
            return null if operator == Operator.IS_NULL else exp.Not(this=null)
        if operator in (Operator.IS_TRUE, Operator.IS_FALSE):
            return exp.EQ(this=column, expression=truth(operator == Operator.IS_TRUE, type_))
        if operator in (Operator.CONTAINS, Operator.NOT_CONTAINS, Operator.STARTS_WITH):
            found = contains(column, values[0], at_start=operator == Operator.STARTS_WITH)
            return exp.Not(this=found) if operator == Operator.NOT_CONTAINS else found
        if ignores_case:
            column = exp.Lower(this=column)
            values = [value.lower() for value in values]
        literals = [literal(value, type_, self._dialect) for value in values]
        if operator in (Operator.IN, Operator.NOT_IN):
            found = exp.In(this=column, expressions=literals)
            return exp.Not(this=found) if operator == Operator.NOT_IN else found
        return _COMPARISONS[operator](this=column, expression=literals[0])

    def _row_value(self, item: Measure) -> exp.Expr | None:
        if not item.column:
            return None
        value: exp.Expr = self._columns.named(item.column)
        if item.unit is not None:
            value = cut(value, item.unit, self._dialect)
        if item.part is not None:
            value = part_of(value, item.part, self._dialect)
        if item.operator is None:
            return value
        other = self._columns.named(item.operand)
        if item.operator == Arithmetic.DAYS_SINCE:
            return days_between(value, other, self._dialect)
        if item.operator == Arithmetic.OVER:
            return divided(value, other)
        return exp.Paren(this=_ARITHMETIC[item.operator](this=value, expression=other))

    def _measure(self, item: Measure) -> exp.Expr:
        value = self._row_value(item)
        if item.aggregate is None:
            return exp.Null() if value is None else value
        if item.where:
            test = exp.and_(*self._all_of(item.where))
            value = exp.Case(ifs=[exp.If(this=test, true=exp.Literal.number(1) if value is None else value)])
        return self._aggregate(value, item.aggregate)

    def _aggregate(self, value: exp.Expr | None, aggregate: Aggregate) -> exp.Expr:
        if value is None or aggregate == Aggregate.COUNT:
            return exp.Count(this=exp.Star() if value is None else value)
        if aggregate == Aggregate.COUNT_DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[value]))
        return _AGGREGATES[aggregate](this=value)

    def _selected(self, item: Selected) -> exp.Expr:
        value = self._measure(item.value)
        if item.relation is not None and item.other is not None:
            other = self._measure(item.other)
            if item.relation == Relation.DIFFERENCE:
                value = exp.Paren(this=exp.Sub(this=value, expression=other))
            elif item.relation == Relation.CHANGE:
                value = divided(exp.Paren(this=exp.Sub(this=value, expression=other)), other.copy())
            else:
                value = divided(value, other)
        if item.share_of_total:
            value = divided(value, exp.Window(this=exp.Sum(this=value.copy())))
        return exp.Mul(this=exp.Literal.number(100), expression=value) if item.in_percent else value

    def _having(self, item: GroupCondition) -> exp.Expr:
        return self._compared(self._measure(item.value), item.operator, item.values, "decimal")

    def _ordered(self, item: Ordering, selected: Sequence[exp.Expr]) -> exp.Expr:
        if item.position is not None:
            place = self._plan.selected[item.position - 1]
            value = exp.column(exp.to_identifier(place.label, quoted=True)) if place.label else selected[item.position - 1].copy()
        else:
            value = self._measure(item.value or Measure(aggregate=Aggregate.COUNT))
        return exp.Ordered(this=value, desc=item.descending, nulls_first=False)


def divided(value: exp.Expr, by: exp.Expr) -> exp.Expr:
    """A division of numbers with digits, null where the divisor is 0."""
    number = exp.Cast(this=value, to=exp.DataType.build("double"))
    return exp.Div(this=number, expression=exp.Nullif(this=by, expression=exp.Literal.number(0)))
