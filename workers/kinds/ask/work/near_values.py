"""Values of the data, and meanings of codes, of which words of a question are only a part: returned, where R is `returned to merchant`."""

from collections.abc import Iterator, Sequence

from contracts.statements import Statement, name, quote, say
from contracts.tables import TableDetail
from workers.engines.questions.comments import glossed_values
from workers.engines.questions.names import phrase_of
from workers.engines.questions.spelling import root

MOST_VALUES = 3
"""Values up to which it is asked whether one of them is meant."""


def values_near(words: Sequence[str], tables: Sequence[TableDetail]) -> list[Statement]:
    """The values of which one of the words is a part, as they may be asked for. Empty where there are many."""
    wanted = [list(map(root, phrase_of(word))) for word in words]
    found = list(dict.fromkeys(each for table in tables for each in _of_table(wanted, table)))
    return found if len(found) <= MOST_VALUES else []


def _of_table(wanted: Sequence[list[str]], table: TableDetail) -> Iterator[Statement]:
    for column in table.columns:
        for meaning, value in (*((value, value) for value in column.values), *glossed_values(column)):
            has = list(map(root, phrase_of(meaning)))
            if any(_is_within(own, has) for own in wanted):
                place = name(f"{table.name}.{column.name}")
                meant = say("ask.value.meaning", column=place, value=quote(value), meaning=quote(meaning))
                yield say("ask.value", column=place, value=quote(value)) if meaning == value else meant


def _is_within(own: list[str], words: list[str]) -> bool:
    """Whether words follow each other in others, or a Chinese word is a part of another."""
    if len(own) == len(words) == 1 and not own[0].isascii():
        return len(own[0]) > 1 and own[0] in words[0]
    return bool(own) and any(own == words[place : place + len(own)] for place in range(len(words) - len(own) + 1))
