"""Names for the columns of a result that have none: `n`, `month`, `total_amount`."""

from contracts.queries import Aggregate, Measure, QueryPlan, Relation, Selected

_BEFORE: dict[Aggregate, str] = {
    Aggregate.SUM: "total",
    Aggregate.AVERAGE: "average",
    Aggregate.MINIMUM: "lowest",
    Aggregate.MAXIMUM: "highest",
}


def labelled(plan: QueryPlan) -> QueryPlan:
    """The plan with a name for each computed column; a column that is shown as it is keeps its own."""
    used = {item.label for item in plan.selected if item.label} | {_column(item.value.column) for item in plan.selected if _is_plain(item)}
    selected: list[Selected] = []
    for item in plan.selected:
        name = "" if item.label or _is_plain(item) else _unique(_name(item), used)
        selected.append(item.model_copy(update={"label": name}) if name else item)
        used.add(name)
    return plan.model_copy(update={"selected": tuple(selected)})


def _is_plain(item: Selected) -> bool:
    value = item.value
    computed = (value.aggregate, value.unit, value.part, value.operator, item.relation)
    return all(part is None for part in computed) and not item.share_of_total


def _name(item: Selected) -> str:
    if item.share_of_total or item.in_percent:
        return "percent" if item.in_percent else "share"
    if _is_part_of_its_whole(item):
        return "share"
    if item.relation is not None:
        return item.relation.value
    return _measured(item.value)


def _is_part_of_its_whole(item: Selected) -> bool:
    """A measure of some rows divided by the same of all of them."""
    part, whole = item.value, item.other
    if item.relation is not Relation.RATIO or whole is None or part.aggregate not in (Aggregate.COUNT, Aggregate.SUM):
        return False
    same = part.model_copy(update={"where": ()}) == whole.model_copy(update={"where": ()})
    return same and set(whole.where) < set(part.where)


def _measured(value: Measure) -> str:
    column = _column(value.column)
    if value.aggregate is Aggregate.COUNT and not value.column:
        return "n"
    if value.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT):
        return f"{column}_count"
    if value.aggregate is not None:
        return f"{_BEFORE[value.aggregate]}_{'value' if value.operator else column}"
    if value.unit is not None:
        return value.unit.value.partition("_")[0]
    return value.part.value if value.part is not None else "value"


def _column(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _unique(name: str, used: set[str]) -> str:
    number, found = 2, name
    while found in used:
        found, number = f"{name}_{number}", number + 1
    return found
