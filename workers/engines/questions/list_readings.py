"""What a list of values in a question asks for: a figure for all of them, one for each, or things that have all of them."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Operator, QueryPlan
from contracts.tables import TableDetail
from workers.engines.questions.choosing import Choice, place_of
from workers.engines.questions.frame import Frame
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.parts import GroupPart
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_shape import multiplied

_COMPARING = ("compare", "比较", "对比")
_SEVERALLY = ("各有多少", "各有几", "分别", "分别是多少", "各是多少", "各自", "respective", "respectively")


def said_severally(frame: Frame, items: Sequence[Item]) -> None:
    """`compare the revenue of web and app`, 网页和应用各有多少订单: a figure for each of the values. Beside another grouping it is open
    what is meant, and the word has no place."""
    words = [
        item for item in items
        if (item.kind is Kind.SHOW and item.text.lower().startswith(_COMPARING)) or item.text.lower() in _SEVERALLY
    ]  # fmt: skip
    lists = [part for part in frame.conditions if part.operator is Operator.IN and part.is_list]
    if not words or not lists:
        return
    if len(lists) > 1 or frame.groups or frame.top is not None:
        frame.leftover += words[:1]
        return
    value = lists[0].values[0]
    column = lists[0].column or replace(value, kind=Kind.COLUMN, links=tuple(replace(link, value="") for link in value.links))
    frame.groups.append(GroupPart((column,)))


def may_mean_all(frame: Frame, choice: Choice, plan: QueryPlan, tables: Sequence[TableDetail]) -> bool:
    """Whether a list in the question may ask for things that have all of its values, where the plan takes those with any of them."""
    lists = [part for part in frame.conditions if part.may_mean_all]
    if not lists:
        return False
    shown = {split(column)[0] for column in _identified(plan)} & multiplied(plan, tables)
    names = {source.alias: source.table for source in plan.sources}
    own = {choice.links[place_of(value)].table for part in lists for value in part.values if value.links}
    return any(names[alias] not in own for alias in shown)


def _identified(plan: QueryPlan) -> list[str]:
    """Columns that identify what is counted or listed."""
    measures = [item.value for item in plan.selected]
    if any(measure.aggregate is not None for measure in measures) or plan.group_by:
        counted = [measure for measure in measures if measure.aggregate is Aggregate.COUNT_DISTINCT]
        return [measure.column for measure in (*counted, *(plan.group_by if plan.limit is None and not counted else ())) if measure.column]
    return [measure.column for measure in measures if measure.column]
