"""Rates that need no definition: the share of rows that have a state, such as the no-show rate of appointments or 退货率.

A rate is one only where the word before it is a value of the data and no column or measure has its name; a churn rate stays undefined.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from contracts.queries import Aggregate, Operator, Relation
from contracts.tables import ColumnDetail
from workers.engines.questions.items import TIMES, Item, Kind, Link
from workers.engines.questions.parts import ConditionPart, MeasurePart
from workers.engines.sql.truth import holds_truth

RATE_WORDS = frozenset({"rate", "rates", "率"})
"""Words behind a state."""

_STATE = re.compile(r"stat(?:us|e)?(?:_|$)|(?:^|_)(?:stat|st|sts|stage|phase|outcome|result|flag|flg|is|has|was)(?:_|$)", re.IGNORECASE)
_STATE_ZH = re.compile(r"状态|结果|进度|是否|情况")
_SAID = re.compile(r"\b(?:status|state|stage|outcome|result|whether)\b|^1 (?:if|when)\b", re.IGNORECASE)
_ALL = 1
"""Characters by which the table of the denominator is placed behind that of the numerator, so that both are items of their own."""


def holds_states(column: ColumnDetail) -> bool:
    """Whether a column says what became of a row. The share of the rows of a kind is no rate: clicks among all events are no click rate."""
    text = column.description
    return bool(_STATE.search(column.name) or _STATE_ZH.search(text) or _SAID.search(text) or holds_truth(column))


def rate_of_event(event: Item) -> Item:
    """The share of the rows that something happened to: completions of enrolments, by the time at which they were completed."""
    link = event.links[0]
    rows = Item(Kind.TABLE, event.begin, event.stop, event.text, (Link(link.table),))
    column = replace(event, kind=Kind.COLUMN, begin=event.begin + _ALL, payload=TIMES)
    all_rows = MeasurePart(Aggregate.COUNT, rows)
    part = replace(all_rows, where=(ConditionPart(Operator.NOT_NULL, column),), over=all_rows, relation=Relation.RATIO)
    return Item(Kind.METRIC, event.begin, event.stop, event.text, payload=part)


def rate_of(state: Item, spoken: Collection[str]) -> Item | None:
    """The share of the rows with a state among all rows of their table. `spoken`: the tables that the question names, which decide where
    several have such a state; None where it stays open."""
    places = {(link.table, link.column) for link in state.links}
    if len(places) > 1:
        places = {place for place in places if place[0] in spoken}
    if len(places) != 1:
        return None
    table, column = places.pop()
    links = tuple(link for link in state.links if (link.table, link.column) == (table, column))
    if len({link.value for link in links}) != 1:
        return None
    rows = Item(Kind.TABLE, state.begin, state.stop, state.text, (Link(table),))
    value = replace(state, kind=Kind.VALUE, begin=state.begin + _ALL, links=links)
    condition = ConditionPart(Operator.EQUAL, None, (value,))
    all_rows = MeasurePart(Aggregate.COUNT, rows)
    part = replace(all_rows, where=(condition,), over=all_rows, relation=Relation.RATIO)
    return Item(Kind.METRIC, state.begin, state.stop, state.text, payload=part)
