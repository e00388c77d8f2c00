"""Sentences out of parts, as the parsers of a SCOPE job say them."""

from collections.abc import Mapping
from enum import StrEnum

from contracts.statements import Join, Statement, listing, say, say_member
from workers.engines.counts import exactly


def clauses(*parts: Statement) -> Statement:
    """The parts as one sentence."""
    return say("scope.sentence", parts=listing(*parts, join=Join.CLAUSES))


def what_there_is(found: Mapping[StrEnum, int]) -> tuple[Statement, ...]:
    """How many operators or operations of each kind there are: `2 joins`."""
    return tuple(say_member("scope.count", kind, n=exactly(number)) for kind, number in found.items() if number)
