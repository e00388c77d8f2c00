"""Names for columns that a requirement says in words alone: 注册城市 is `reg_city`, 车辆数 is `vehicles_count`."""

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function
from workers.engines.requirements.prose.draft import Draft, Measure

_PATTERNS = {
    Function.COUNT: "{}_count", Function.COUNT_DISTINCT: "distinct_{}", Function.SUM: "total_{}", Function.AVERAGE: "average_{}",
    Function.MINIMUM: "first_{}", Function.MAXIMUM: "last_{}",
}  # fmt: skip


def name_for(draft: Draft, label: str) -> str:
    """A name of what a column is made of; empty: it is made of several, or the name is taken."""
    value: Expression | Measure | None = draft.keys.get(label) or draft.measures.get(label)
    made = ""
    if isinstance(value, Measure):
        of = value.value.name if isinstance(value.value, ColumnOf) else value.rows.table.name if value.value is None else ""
        made = _PATTERNS[value.function].format(of.lower()) if of and value.function in _PATTERNS else ""
    elif isinstance(value, ColumnOf):
        made = value.name.lower()
    elif isinstance(value, Call) and value.function is Function.CUT and value.unit is not None:
        made = value.unit.value.partition("_")[0]
    return made if made not in draft.order and made not in draft.known else ""


def rename(draft: Draft, before: str, after: str) -> None:
    """Give a column of a draft another name."""
    draft.order = [after if label == before else label for label in draft.order]
    for part in ("keys", "measures", "later", "units", "descriptions"):
        known = getattr(draft, part)
        setattr(draft, part, {after if label == before else label: value for label, value in known.items()})
