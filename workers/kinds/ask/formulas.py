"""A measure of a plan as a formula of the published grammar: what an answer computed, for its user to call it something."""

from contracts.queries import Aggregate, Arithmetic, Condition, Measure, Operator, QueryPlan, Relation, Selected

_BEFORE = {
    Aggregate.SUM: "sum of",
    Aggregate.AVERAGE: "average",
    Aggregate.MINIMUM: "lowest",
    Aggregate.MAXIMUM: "highest",
    Aggregate.COUNT_DISTINCT: "number of different",
}
_SIGNS = {Arithmetic.PLUS: "+", Arithmetic.MINUS: "-", Arithmetic.TIMES: "*", Arithmetic.OVER: "/"}


def formula_in(plan: QueryPlan) -> str:
    """The first figure of a result, with the conditions on its rows; empty: the plan has none that the grammar can say."""
    tables = {source.alias: source.table.rpartition(".")[2] for source in plan.sources}
    first = next((item for item in plan.selected if item.value.aggregate is not None), None)
    return "" if first is None else _selected(first, plan.filters, tables)


def _selected(item: Selected, filters: tuple[Condition, ...], tables: dict[str, str]) -> str:
    figure = _figure(item.value, filters, tables)
    if item.relation is None:
        return figure
    other = "" if item.other is None else _figure(item.other, filters, tables)
    return f"{figure} / {other}" if item.relation is Relation.RATIO and figure and other else ""


def _figure(value: Measure, filters: tuple[Condition, ...], tables: dict[str, str]) -> str:
    conditions = [_condition(item, tables) for item in (*value.where, *filters)]
    if not all(conditions) or value.unit is not None or value.part is not None:
        return ""
    counted = _counted(value, tables)
    return " ".join([counted, *conditions]) if counted else ""


def _counted(value: Measure, tables: dict[str, str]) -> str:
    if value.aggregate is Aggregate.COUNT:
        return f"number of {next(iter(tables.values()))}" if not value.column else ""
    if value.aggregate is None or (value.operator is not None and value.operator not in _SIGNS):
        return ""
    column = _column(value.column, tables)
    if value.operator is not None:
        column = f"{column} {_SIGNS[value.operator]} {_column(value.operand, tables)}"
    return f"{_BEFORE[value.aggregate]} {column}"


def _condition(item: Condition, tables: dict[str, str]) -> str:
    """`with orders.status completed`; empty for what the grammar says otherwise."""
    is_plain = item.operator is Operator.EQUAL and len(item.values) == 1 and item.part is None and item.aggregate is None
    return f"with {_column(item.column, tables)} {item.values[0]}" if is_plain and not item.alternative else ""


def _column(column: str, tables: dict[str, str]) -> str:
    alias, _, name = column.rpartition(".")
    return f"{tables.get(alias, alias)}.{name}" if alias else name
