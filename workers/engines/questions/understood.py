"""What a plan takes a question to mean, as statements: the user sees a wrong reading before a wrong number."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime

from contracts.queries import Aggregate, Condition, GroupCondition, Measure, Ordering, Period, QueryPlan, Related, Selected
from contracts.questions import UsedDefinition
from contracts.statements import Join, Statement, Value, code, count, listing, member_term, name, names, passage, quote, say, say_member


def understood(plan: QueryPlan) -> tuple[Statement, ...]:
    """Tables, joins, what is shown, conditions, times, groups, order and limit of a plan."""
    return tuple(_statements(plan))


def said_of(used: UsedDefinition) -> Statement:
    """The definition that a word was read by."""
    return say("questions.understood.defined", name=quote(used.name), text=passage(used.text))


def _statements(plan: QueryPlan) -> Iterator[Statement]:
    yield say("questions.understood.tables", tables=names(source.table for source in plan.sources))
    for join in plan.joins:
        pairs = zip(join.left_columns, join.right_columns, strict=True)
        on = listing(*(code(f"{join.left}.{left} = {join.right}.{right}") for left, right in pairs))
        yield say("questions.understood.join", on=on, evidence=member_term("queries.evidence", join.evidence))
    values = _listed([_selected(item) for item in plan.selected])
    yield say("questions.understood.distinct", values=values) if plan.is_distinct else say("questions.understood.shown", values=values)
    if plan.filters:
        yield say("questions.understood.filters", conditions=_conditions(plan.filters))
    for item in plan.related:
        yield _related(item)
    for period in plan.periods:
        yield _period(period)
    if plan.group_by:
        yield say("questions.understood.groups", columns=_listed([_measure(item) for item in plan.group_by]))
    for item in plan.having:
        yield say("questions.understood.having", condition=_having(item))
    if plan.order_by:
        yield say("questions.understood.order", columns=_listed([_ordered(item, plan.selected) for item in plan.order_by]))
    if plan.limit is not None:
        yield say("questions.understood.limit", n=count(plan.limit))


def _listed(values: Sequence[Value]) -> Value:
    return listing(*values, join=Join.PLAIN)


def _measure(item: Measure) -> Value:
    value: Value = name(item.column)
    if item.unit is not None:
        value = say_member("queries.unit", item.unit, of=value)
    if item.part is not None:
        value = say_member("queries.part", item.part, of=value)
    if item.operator is not None:
        value = say_member("queries.arithmetic", item.operator, first=value, second=name(item.operand))
    if item.aggregate == Aggregate.COUNT and not item.column:
        value = say("queries.rows")
    elif item.aggregate is not None:
        value = say_member("queries.aggregate", item.aggregate, of=value)
    return say("queries.where", value=value, conditions=_conditions(item.where)) if item.where else value


def _selected(item: Selected) -> Value:
    value = _measure(item.value)
    if item.relation is not None and item.other is not None:
        value = say_member("queries.relation", item.relation, first=value, second=_measure(item.other))
    if item.share_of_total:
        value = say("queries.share", value=value)
    return say("queries.percent", value=value) if item.in_percent else value


def _conditions(conditions: Sequence[Condition]) -> Value:
    """Conditions that must all hold; alternatives are joined by `or`."""
    made: list[Value] = [_condition(item) for item in conditions if not item.alternative]
    for number in sorted({item.alternative for item in conditions if item.alternative}):
        made.append(listing(*(_condition(item) for item in conditions if item.alternative == number), join=Join.OR))
    return listing(*made, join=Join.CLAUSES)


def _condition(item: Condition) -> Value:
    column: Value = name(item.column)
    if item.part is not None:
        column = say_member("queries.part", item.part, of=column)
    operator = member_term("queries.operator", item.operator)
    if item.aggregate is not None:
        overall = say_member("queries.aggregate", item.aggregate, of=column)
        return say("queries.condition", column=column, operator=operator, value=overall)
    if not item.values:
        return say("queries.condition_alone", column=column, operator=operator)
    values = _listed([quote(value) for value in item.values])
    return say("queries.condition", column=column, operator=operator, value=values)


def _having(item: GroupCondition) -> Value:
    operator = member_term("queries.operator", item.operator)
    return say("queries.condition", column=_measure(item.value), operator=operator, value=names(item.values))


def _related(item: Related) -> Statement:
    if item.exists:
        return say("questions.understood.exists", table=name(item.table), source=name(item.source))
    return say("questions.understood.absent", table=name(item.table), source=name(item.source))


def _period(period: Period) -> Statement:
    column = name(period.column)
    if period.start is None and period.end is not None:
        return say("questions.understood.before", column=column, end=_day(period.end))
    if period.end is None and period.start is not None:
        return say("questions.understood.since", column=column, start=_day(period.start))
    if period.start is None or period.end is None:
        return say("questions.understood.always", column=column)
    return say("questions.understood.period", column=column, start=_day(period.start), end=_day(period.end))


def _day(value: date | datetime) -> Value:
    """A local time of the source, so without a time zone."""
    return name(value.isoformat(" ", "minutes") if isinstance(value, datetime) else value.isoformat())


def _ordered(item: Ordering, selected: Sequence[Selected]) -> Value:
    own = item.value or Measure(aggregate=Aggregate.COUNT)
    value = _selected(selected[item.position - 1]) if item.position is not None else _measure(own)
    return say("queries.descending", value=value) if item.descending else say("queries.ascending", value=value)
