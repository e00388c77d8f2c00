"""`members who have never donated`, `artworks that were never inspected`: rows without partners in the table that the verb is about."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence

from contracts.tables import TableDetail
from workers.engines.requirements.prose.nouns import nouns_of

_NEVER = re.compile(
    r"(?:(?:who|that|which) )?(?:(?:have|has|were|was|had) )?never (?:yet )?(?:been )?(?P<verb>[a-z]{4,}(?:ed|en))(?: (?:yet|so far|before|at all))?",
    re.IGNORECASE,
)
_ENDINGS = re.compile(r"(?:ions?|ments?|als?|ings?|ed|es|e|s)$")
LEAST_LETTERS = 4
"""Letters that a verb and a noun share at least; `use` and `user` are not the same."""


def never_done(text: str, partners: Sequence[TableDetail]) -> TableDetail | None:
    """The only one of the tables whose noun is what the verb does: a donation is donated. None: no table or several."""
    found = _NEVER.fullmatch(text.strip())
    if found is None:
        return None
    verb = _stem(found["verb"])
    if len(verb) < LEAST_LETTERS:
        return None
    meant = [table for table in partners if any(_is_same(_stem(noun), verb) for noun in nouns_of(table))]
    return meant[0] if len(meant) == 1 else None


def _stem(word: str) -> str:
    return _ENDINGS.sub("", word.lower())


def _is_same(noun: str, verb: str) -> bool:
    """`reserved` and `reservation` differ in what the noun has behind the verb."""
    return noun == verb or noun == f"{verb}at"
