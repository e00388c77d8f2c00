"""Values of the data, and meanings of codes, of which words of a question are only a part: returned, where R is `returned to merchant`."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from contracts.statements import Statement, name, quote, say
from contracts.tables import TableDetail
from workers.engines.questions.comments import glossed_values
from workers.engines.questions.names import phrase_of
from workers.engines.questions.spelling import root

MOST_VALUES = 3
"""Values up to which it is asked whether one of them is meant."""


class NearValue(NamedTuple):
    """A value of which a word is a part."""

    word: str
    meaning: str
    """By which a question may have it."""
    says: Statement
    """As it may be asked for."""


def values_near(words: Sequence[str], tables: Sequence[TableDetail]) -> list[NearValue]:
    """The values of which one of the words is a part. Empty where there are many."""
    wanted = [(word, list(map(root, phrase_of(word)))) for word in words]
    found = list(dict.fromkeys(each for table in tables for each in _of_table(wanted, table)))
    return found if len(found) <= MOST_VALUES else []


def _of_table(wanted: Sequence[tuple[str, list[str]]], table: TableDetail) -> Iterator[NearValue]:
    for column in table.columns:
        for meaning, value in (*((value, value) for value in column.values), *glossed_values(column)):
            has = list(map(root, phrase_of(meaning)))
            if word := next((word for word, own in wanted if _is_within(own, has)), None):
                place = name(f"{table.name}.{column.name}")
                meant = say("ask.value.meaning", column=place, value=quote(value), meaning=quote(meaning))
                yield NearValue(word, meaning, say("ask.value", column=place, value=quote(value)) if meaning == value else meant)


def _is_within(own: list[str], words: list[str]) -> bool:
    """Whether words follow each other in others, or a Chinese word is a part of another."""
    if len(own) == len(words) == 1 and not own[0].isascii():
        return len(own[0]) > 1 and own[0] in words[0]
    return bool(own) and any(own == words[place : place + len(own)] for place in range(len(words) - len(own) + 1))
