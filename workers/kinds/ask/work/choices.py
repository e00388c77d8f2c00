"""The question what a word means, its closed choices, and what helps where words were not read."""

from collections.abc import Sequence

from contracts.ask.results import Reading
from contracts.pointers import AnyPointer, ColumnPointer
from contracts.questions import OpenWord
from contracts.statements import Join, Statement, code, lines, listing, names, passage, quote, say

MOST_NEAR = 3
"""Columns that are named where words were not read."""


def question_about(word: OpenWord) -> Statement:
    """What is asked: its definitions differ, or something is said of it that its formula does not have."""
    if not word.says:
        return say("ask.question.differing", name=quote(word.name))
    says = listing(*(quote(text[:300]) for text in word.says), join=Join.PLAIN)
    if word.differs:
        return say("ask.question.differing_beside", name=quote(word.name), says=says)
    return say("ask.question.beside", name=quote(word.name), says=says)


def meanings_of(word: OpenWord) -> tuple[Statement, ...]:
    """The choices: each meaning by its words, then to write something else."""
    as_it_is = len(word.meanings) - 1 if word.says and not word.differs else None
    shown = (
        say("ask.meaning.as_it_is", formula=passage(meaning.text))
        if place == as_it_is
        else say("ask.meaning", formula=passage(meaning.text))
        for place, meaning in enumerate(word.meanings)
    )
    return (*shown, say("ask.meaning.other"))


def ways_on(pointers: Sequence[AnyPointer], reading: Reading) -> Statement:
    """What helps with words that were not read: questions that are, the columns that the search found for the words, a definition, the
    grammar."""
    near = [f"{pointer.table}.{pointer.column}" for pointer in pointers if isinstance(pointer, ColumnPointer)][:MOST_NEAR]
    nearest = [say("ask.question.nearest", columns=names(near))] if near else []
    offers = [say("ask.question.offered")] if reading.offers else []
    formula = code(f"takings = {reading.formula}")
    ways = say("ask.question.ways_on_here", formula=formula) if reading.formula else say("ask.question.ways_on")
    return lines(say("ask.question.say_otherwise"), *offers, *nearest, ways)
