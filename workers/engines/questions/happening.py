"""Patterns of the grammar over single rows and their extremes: what happened last, what is most common, what is the most expensive."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Operator
from workers.engines.questions.conditions import DONE_ZH
from workers.engines.questions.items import COMMON, FREQUENCIES, TEXT, TIMES, Item, Kind, Link
from workers.engines.questions.parts import ConditionPart, MeasurePart, OrderPart, TopPart
from workers.engines.questions.runs import condition_of, first_of, made_of, only
from workers.engines.questions.words import PARTICIPLE

_NEAR = 4
"""Characters between a column and its number: ` of `."""
_WHEN = ("when", "什么时候", "何时", "什么时间", "哪天", "哪一天")


def _time(run: Sequence[Item]) -> Item:
    return replace(first_of(run, Kind.WHEN), kind=Kind.COLUMN, payload=TIMES)


def last_time(run: Sequence[Item]) -> Sequence[Item] | None:
    """`When was the last vehicle purchased?`: the latest of its times."""
    asked = next(iter(only(run, Kind.ASK)), None)
    if asked is None or not asked.text.lower().removeprefix("是").startswith(_WHEN):
        return None
    aggregate = Aggregate.MAXIMUM if first_of(run, Kind.LATEST).payload else Aggregate.MINIMUM
    return [first_of(run, Kind.TABLE), made_of(Kind.MEASURE, [first_of(run, Kind.WHEN)], MeasurePart(aggregate, _time(run)))]


def latest_by(run: Sequence[Item]) -> Sequence[Item]:
    """`the last doctor to be hired`: ordered by the time of the verb."""
    word, table = first_of(run, Kind.LATEST), first_of(run, Kind.TABLE)
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 1)
    return [table, made_of(Kind.LIMIT, [word], TopPart(limit, _time(run), bool(word.payload)))]


def number_of_events(run: Sequence[Item]) -> Sequence[Item] | None:
    """各故障类型的报修数量: the rows of what happened, where the word is one of a single table."""
    event, word = run[0], first_of(run, Kind.COUNT)
    if len({link.table for link in event.links}) != 1 or event.text.isascii():
        return None
    rows = replace(event, kind=Kind.TABLE, links=(Link(event.links[0].table),), payload=None, begin=word.begin)
    return [happened([event]), made_of(Kind.MEASURE, [word], MeasurePart(Aggregate.COUNT, rows))]


def latest_by_column(run: Sequence[Item]) -> Sequence[Item] | None:
    """出版年份最早的书: ordered by the times or the years before the superlative."""
    column, word, table = run[0], first_of(run, Kind.LATEST), first_of(run, Kind.TABLE)
    if column.payload == TEXT:
        return None
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 1)
    return [table, made_of(Kind.LIMIT, [column, word], TopPart(limit, column, bool(word.payload)))]


def happened(run: Sequence[Item]) -> Item:
    """`How many shipments were delivered?`: those that have the time; `not closed`: those without it."""
    operator = Operator.IS_NULL if only(run, Kind.NOT) else Operator.NOT_NULL
    return condition_of(run, ConditionPart(operator, _time(run), is_event=True))


def most_common(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the most common reason`: the value that most rows have, those without one left out."""
    word, column = first_of(run, Kind.MOST), first_of(run, Kind.COLUMN)
    if word.payload not in FREQUENCIES:
        return None
    descends = word.payload == COMMON
    number = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 0)
    known = condition_of([word], ConditionPart(Operator.NOT_NULL, column))
    by = MeasurePart(Aggregate.COUNT)
    is_list = not number and column.text.isascii() and column.text.lower().endswith("s")
    if is_list:
        order = made_of(Kind.ORDERING, [word], OrderPart(by, descending=descends))
        return [column, known, made_of(Kind.MEASURE, [word], by), order]
    return [known, made_of(Kind.LIMIT, [word], TopPart(number, by, descending=descends)), column]


def superlative_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """`Which plan is the most expensive?`, `Which hotel is the oldest?`"""
    table, word = run[0], run[-1]
    if word.kind == Kind.LATEST:
        return [table, made_of(Kind.LIMIT, [word], TopPart(1, table, bool(word.payload), is_latest=True))]
    adjective = word.text.lower()
    if (
        word.payload in FREQUENCIES
        or adjective in ("most", "least", "fewest", "highest", "lowest", "最多", "最少", "最高", "最低")
        or "number of" in adjective
    ):
        return None
    return [table, made_of(Kind.LIMIT, [word], TopPart(0, table, bool(word.payload), word=adjective))]


def most_done(run: Sequence[Item]) -> Item | None:
    """`Which crop sold the most?`, 哪种药品卖得最多: the things with the most rows of what they did."""
    done, word = run[0], run[-1]
    is_verb = bool(DONE_ZH.fullmatch(done.text) if not done.text.isascii() else PARTICIPLE.search(done.text.lower()))
    if not is_verb or word.text.lower().removesuffix("的") not in ("most", "least", "最多", "最少"):
        return None
    tables = tuple(Link(link.table, quality=link.quality) for link in done.links)
    by = MeasurePart(Aggregate.COUNT, replace(done, kind=Kind.TABLE, links=tables, payload=None), is_done=True)
    return made_of(Kind.LIMIT, run, TopPart(0, by, bool(word.payload)))


def most_of_a_kind(run: Sequence[Item]) -> Sequence[Item] | None:
    """哪个教练的爽约最多: the things with the most rows that have a value, which are rows of a table beside theirs."""
    table, value, word = run
    tables = {link.table for link in value.links}
    is_most = word.text.removesuffix("的") in ("最多", "最少")
    if not is_most or len(tables) != 1 or tables & {link.table for link in table.links}:
        return None
    rows = replace(value, kind=Kind.TABLE, links=tuple(map(Link, tables)), payload=None)
    kept = condition_of([value], ConditionPart(Operator.EQUAL, None, (value,)))
    return [table, kept, made_of(Kind.LIMIT, [word], TopPart(0, MeasurePart(Aggregate.COUNT, rows), bool(word.payload)))]


def average_per_own_row(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the average number of nights per booking`: the average of a column of bookings."""
    aggregate, column, table = first_of(run, Kind.AGGREGATE), first_of(run, Kind.COLUMN), first_of(run, Kind.TABLE)
    names = {link.table for link in table.links}
    own = tuple(link for link in column.links if link.table in names)
    if aggregate.payload != Aggregate.AVERAGE or not own or column.payload in (TEXT, TIMES):
        return None
    return [table, made_of(Kind.MEASURE, [column], MeasurePart(Aggregate.AVERAGE, replace(column, links=own)))]


def average_number(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the average number of seats`: of a column that holds numbers of seats."""
    aggregate, _, column = run
    return [aggregate, column] if aggregate.payload == Aggregate.AVERAGE and column.payload is None else None


def has_number(run: Sequence[Item]) -> Item | None:
    """`hotels that have five stars`: a column that holds the number."""
    number, column = run
    if column.payload is not None or number.text.endswith("%"):
        return None
    return condition_of(run, ConditionPart(Operator.EQUAL, column, (number,)))


def is_number(run: Sequence[Item]) -> Item | None:
    """`a caliber of 100`, 口径为100: a column of numbers and the number right behind it."""
    column, number = run
    is_near = number.begin - column.stop <= _NEAR and not number.text.endswith(("%", "st", "nd", "rd", "th"))
    if column.payload is not None or not is_near:
        return None
    return condition_of(run, ConditionPart(Operator.EQUAL, column, (number,)))
