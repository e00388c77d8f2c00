"""Patterns of the grammar that rank and order: superlatives, `top 5`, `ordered by`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate
from workers.engines.questions.items import FREQUENCIES, Item, Kind
from workers.engines.questions.parts import MeasurePart, OrderPart, TopPart
from workers.engines.questions.runs import first_of, made_of, only
from workers.engines.questions.words import key

_COUNTING = re.compile(r"^(?:most|least|fewest)$|number of|最多|最少", re.IGNORECASE)
"""Superlatives that count rows; `longest` and its like are about a column of the table."""

_TAKES_TIME = re.compile(r"time|duration|second|minute|hour|时长|时间|用时|耗时", re.IGNORECASE)

_AMOUNTS_TOO = frozenset({"sale", "payment", "refund", "fee", "spending", "budget", "cost", "donation", "usage", "consumption"})
"""Names of tables that are words for their amounts as well."""


def _descends(superlative: Item, of: Item) -> bool:
    """Whether the superlative asks for large values: the fastest speed is a large one, the fastest time a small one."""
    is_of_pace = superlative.text.lower().removesuffix("的") in ("fastest", "slowest", "最快", "最慢")
    takes_time = any(_TAKES_TIME.search(text) for text in (of.text, *(link.column for link in of.links)))
    return bool(superlative.payload) != (is_of_pace and takes_time)


def extreme(run: Sequence[Item]) -> Sequence[Item]:
    """`What is the highest rating`: the value itself is asked for."""
    superlative, of = first_of(run, Kind.MOST, Kind.LATEST), first_of(run, Kind.COLUMN)
    made = MeasurePart(Aggregate.MAXIMUM if _descends(superlative, of) else Aggregate.MINIMUM, of)
    return [*only(run, Kind.ASK, Kind.SHOW), made_of(Kind.MEASURE, [superlative, of], made)]


def extreme_alone(run: Sequence[Item]) -> Sequence[Item] | None:
    """`Highest score in ranked matches`: the value itself, of a column in the singular."""
    column = run[1]
    is_single = column.text.isascii() and key(column.text.split()[-1]) == column.text.split()[-1].lower()
    return extreme(run) if is_single and column.payload is None and run[0].payload not in FREQUENCIES else None


def extreme_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """最高的运费是多少: the value itself is asked for."""
    return extreme(run) if run[-1].text in ("是多少", "为多少", "各是多少") else None


def superlative(run: Sequence[Item]) -> Item | Sequence[Item]:
    """`the highest rating`, `the most orders`: what the rows are ordered by."""
    word = first_of(run, Kind.MOST)
    of = next(item for item in run if item.kind in (Kind.COLUMN, Kind.TABLE, Kind.MEASURE, Kind.METRIC))
    adjective = ""
    if of.kind == Kind.TABLE and _COUNTING.search(word.text):
        by: Item | MeasurePart = MeasurePart(Aggregate.COUNT, of)
    elif of.kind == Kind.TABLE:
        by, adjective = of, word.text.lower()
    elif isinstance(of.payload, MeasurePart):
        by = of.payload
    else:
        by = of
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 0)
    made = made_of(Kind.LIMIT, run, TopPart(limit, by, _descends(word, of), word=adjective))
    conditions = only(run, Kind.CONDITION)
    return [of, *conditions, made] if adjective else [*conditions, made]


def latest(run: Sequence[Item]) -> Sequence[Item]:
    """`the 3 latest orders`."""
    word, table = first_of(run, Kind.LATEST), first_of(run, Kind.TABLE)
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 1)
    return [table, made_of(Kind.LIMIT, [word], TopPart(limit, table, bool(word.payload), is_latest=True))]


def superlative_of_several(run: Sequence[Item]) -> Sequence[Item] | None:
    """`Heaviest 10 containers`."""
    word, number, table = run
    if _COUNTING.search(word.text) or word.payload in FREQUENCIES:
        return None
    part = TopPart(int(str(number.payload)), table, bool(word.payload), word=word.text.lower())
    return [table, made_of(Kind.LIMIT, [word, number], part)]


def top_part(run: Sequence[Item]) -> Item:
    """`top 5`: what ranks is elsewhere."""
    return made_of(
        Kind.LIMIT, run, TopPart(int(str(first_of(run, Kind.NUMBER).payload)), None, bool(first_of(run, Kind.TOP, Kind.MOST).payload))
    )


def ordered(run: Sequence[Item]) -> Sequence[Item] | None:
    """`ordered by price, descending`."""
    by = [item for item in run if item.kind in (Kind.MEASURE, Kind.COLUMN, Kind.TABLE, Kind.UNIT, Kind.METRIC)]
    directions = [bool(item.payload) for item in only(run, Kind.DIRECTION, Kind.MOST)]
    direction = directions[0] if directions else None
    if not by:
        return [made_of(Kind.ORDERING, run, OrderPart(None, True if direction is None else direction))]
    return [made_of(Kind.ORDERING, run, OrderPart(_target(item), bool(direction))) for item in by]


def from_best(run: Sequence[Item]) -> Item:
    """`starting from the best ratings to the lowest`."""
    return made_of(Kind.ORDERING, run, OrderPart(first_of(run, Kind.COLUMN), bool(first_of(run, Kind.MOST).payload)))


def _target(item: Item) -> Item | MeasurePart:
    return item.payload if isinstance(item.payload, MeasurePart) else item


def topped(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 3 customers by revenue`: what stands behind `by` orders them."""
    top, by = run[0], run[-1]
    if not isinstance(top.payload, TopPart) or top.payload.by is not None:
        return None
    return [replace(top, payload=replace(top.payload, by=_target(by))), *run[1:-2]]


def topped_by_number(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 10 episodes by plays`: by the number of their rows. `by sales` may be of their amounts."""
    table = run[-1]
    if len({item.text for item in only(run, Kind.TABLE)}) < 2 or key(table.text.lower().split()[-1]) in _AMOUNTS_TOO:
        return None
    return topped([*run[:-1], made_of(Kind.MEASURE, [table], MeasurePart(Aggregate.COUNT, table))])


def topped_by_superlative(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 3 restaurants with the highest ratings`."""
    first, last = run[0].payload, run[-1].payload
    if not isinstance(first, TopPart) or not isinstance(last, TopPart) or first.by is not None or last.by is None or last.limit:
        return None
    return [replace(run[0], payload=replace(last, limit=first.limit)), *run[1:-1]]


def numbered(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the 3 restaurants with the highest ratings`."""
    last = run[-1].payload
    if not isinstance(last, TopPart) or last.limit:
        return None
    return [*run[1:-1], replace(run[-1], payload=replace(last, limit=int(str(run[0].payload))))]


def most_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """评分最高的三家餐厅, 评分最高的前三家餐厅: what is ordered by, the superlative, how many of what."""
    word = first_of(run, Kind.MOST)
    of = run[0]
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 0)
    if of.kind == Kind.TABLE:
        if not _COUNTING.search(word.text):
            return None  # 保费最高: not the most payments of premiums
        by: Item | MeasurePart = MeasurePart(Aggregate.COUNT, of)
    else:
        by = of.payload if isinstance(of.payload, MeasurePart) else of
    made = made_of(Kind.LIMIT, run[: run.index(word) + 1], TopPart(limit, by, _descends(word, of)))
    return [made, *(item for item in run[run.index(word) + 1 :] if item.kind not in (Kind.NUMBER, Kind.TOP))]
