"""Ratios, proportions and percentages of two quantities."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Relation
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.parts import ConditionPart, MeasurePart
from workers.engines.questions.runs import condition_of, conditions_in, made_of, only


def ratio(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """A ratio of two counts, aggregates or parts of a table."""
    word = run[0]
    split = next((index for index, item in enumerate(run) if item.kind == Kind.VERSUS), None)
    if split is None:
        return None
    first, second = _quantity(run[1:split]), _quantity(run[split + 1 :])
    if first is None or second is None:
        return None
    own, shared = _scopes(first.where, second.where, is_part="out of" in run[split].text.lower())
    if own is None:
        return None
    made = replace(first, over=replace(second, where=own), relation=Relation.RATIO, in_percent=bool(word.payload))
    measure = made_of(Kind.MEASURE, run, made)
    return [measure, condition_of(run, *shared)] if shared else measure


def _scopes(
    first: Sequence[ConditionPart], second: Sequence[ConditionPart], *, is_part: bool
) -> tuple[tuple[ConditionPart, ...] | None, tuple[ConditionPart, ...]]:
    """Conditions of the second quantity alone, and those behind it that hold for both: `vegan restaurants to others in Boston`."""
    if is_part:
        return (), tuple(second)
    places = {place for part in first for place in _places(part)}
    own = tuple(part for part in second if places & _places(part))
    shared = tuple(part for part in second if part not in own)
    if shared and not own and len(shared) == len(first):
        return shared, ()
    return (None, ()) if shared and not own else (own, shared)


def _places(part: ConditionPart) -> set[tuple[str, str]]:
    items = [part.column] if part.column is not None else part.values
    return {(link.table, link.column) for item in items for link in item.links}


def _quantity(run: Sequence[Item]) -> MeasurePart | None:
    """A measure and its conditions; or a table, whose rows are counted."""
    conditions = conditions_in(run)
    if any(part.alternative for part in conditions):
        return None
    measures, tables, columns = only(run, Kind.MEASURE), only(run, Kind.TABLE), only(run, Kind.COLUMN)
    if len(measures) == 1 and not columns and isinstance(measures[0].payload, MeasurePart):
        return replace(measures[0].payload, where=(*measures[0].payload.where, *conditions))
    if measures or columns:
        return None
    if len({item.text for item in tables}) == 1:
        return MeasurePart(Aggregate.COUNT, tables[0], where=conditions)
    return None


def part_of_all(run: Sequence[Item]) -> Item | None:
    """`percentage of orders that failed`: of all orders."""
    part = _quantity(run[1:])
    if part is None or not part.where:
        return None
    return made_of(Kind.MEASURE, run, replace(part, over=replace(part, where=()), relation=Relation.RATIO, in_percent=bool(run[0].payload)))


def part_of_all_behind(run: Sequence[Item]) -> Item | None:
    """失败订单的占比."""
    return part_of_all([run[-1], *run[:-1]])


def share_of_each(run: Sequence[Item]) -> Item | None:
    """`share of revenue by channel`, 各渠道的销售金额占比: the sum of each group, of that of all. Of things, it is their number."""
    word, of = (run[0], run[-1]) if run[0].kind == Kind.RATIO else (run[-1], run[0])
    if of.kind == Kind.TABLE:
        return made_of(Kind.MEASURE, run, MeasurePart(Aggregate.COUNT, of, is_share=True, in_percent=bool(word.payload)))
    if isinstance(of.payload, MeasurePart):
        plain = of.payload.aggregate in (Aggregate.SUM, Aggregate.COUNT) and of.payload.relation is None and not of.payload.where
        return made_of(Kind.MEASURE, run, replace(of.payload, is_share=True, in_percent=bool(word.payload))) if plain else None
    if of.kind != Kind.COLUMN or of.payload is not None:
        return None
    return made_of(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, of, is_implied=True, is_share=True, in_percent=bool(word.payload)))


def ratio_of_columns(run: Sequence[Item]) -> Item | None:
    """`ratio of helpfulness to clarity`."""
    first, second = only(run, Kind.COLUMN)
    return made_of(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, first, over=MeasurePart(Aggregate.SUM, second), relation=Relation.RATIO))


def ratio_behind(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """评分高于 4 的餐厅与低于 4 的餐厅之比."""
    place = next(index for index, item in enumerate(run) if item.kind in (Kind.AND, Kind.VERSUS))
    versus = replace(run[place], kind=Kind.VERSUS)
    first, second = _quantity(run[:place]), _quantity(run[place + 1 : -1])
    if first is None or second is None:
        return None
    shared = [part for part in first.where if not any(_places(part) & _places(other) for other in second.where)]
    if second.where and shared and len(shared) < len(first.where):
        # words before both apply to both
        made = made_of(
            Kind.MEASURE,
            run,
            replace(first, where=tuple(part for part in first.where if part not in shared), over=second, relation=Relation.RATIO),
        )
        return [made, condition_of(run, *shared)]
    return ratio([run[-1], *run[:place], versus, *run[place + 1 : -1]])
