"""What happened, when, and what happened last: patterns over words that name a column of times only in part, such as `hired`."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Operator
from workers.engines.questions.items import TIMES, Item, Kind
from workers.engines.questions.parts import ConditionPart, MeasurePart, TopPart
from workers.engines.questions.runs import condition_of, first_of, made_of, only

_WHEN = ("when", "什么时候", "何时", "什么时间", "哪天", "哪一天")


def _time(run: Sequence[Item]) -> Item:
    return replace(first_of(run, Kind.WHEN), kind=Kind.COLUMN, payload=TIMES)


def last_time(run: Sequence[Item]) -> Sequence[Item] | None:
    """`When was the last vehicle purchased?`: the latest of its times."""
    asked = next(iter(only(run, Kind.ASK)), None)
    if asked is None or not asked.text.lower().startswith(_WHEN):
        return None
    aggregate = Aggregate.MAXIMUM if first_of(run, Kind.LATEST).payload else Aggregate.MINIMUM
    return [first_of(run, Kind.TABLE), made_of(Kind.MEASURE, [first_of(run, Kind.WHEN)], MeasurePart(aggregate, _time(run)))]


def latest_by(run: Sequence[Item]) -> Sequence[Item]:
    """`the last doctor to be hired`: ordered by the time of the verb."""
    word, table = first_of(run, Kind.LATEST), first_of(run, Kind.TABLE)
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 1)
    return [table, made_of(Kind.LIMIT, [word], TopPart(limit, _time(run), bool(word.payload)))]


def happened(run: Sequence[Item]) -> Item:
    """`How many shipments were delivered?`: those that have the time; `not closed`: those without it."""
    operator = Operator.IS_NULL if only(run, Kind.NOT) else Operator.NOT_NULL
    return condition_of(run, ConditionPart(operator, _time(run), is_event=True))
