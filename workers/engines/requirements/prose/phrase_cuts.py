"""Where a phrase may be cut into a noun and what restricts it."""

import re
from collections.abc import Iterator

from workers.engines.requirements.prose.values import cuts

_RELATIVE = (
    r"\s+(?=(?:with|without|where|whose|that|which|who|having|in|on|since|before|after|during|of|between|from|not|sent|made|placed|at)\b)"
)


def value_and_rows(text: str) -> Iterator[tuple[str, str]]:
    """The words for a value, and those for the rows that have it."""
    yield text, ""
    for left, right in cuts(text, r"\s+(?:of|in|over|from|for|on)\s+"):
        yield left, right
    for left, right in cuts(text, r"(?:中|里|内)的?\s*|的\s*"):
        yield right, left


def relative_cuts(body: str) -> Iterator[tuple[str, str]]:
    """The noun and what follows, the shortest noun first."""
    for found in re.finditer(_RELATIVE, body, re.IGNORECASE):
        head, tail = body[: found.start()], body[found.end() :]
        if head.strip() and tail.strip():
            yield head, tail
    for found in re.finditer(r"\s+", body):  # `parcels sent in March`: a participle
        head, tail = body[: found.start()], body[found.end() :]
        if re.match(r"(?:(?:it|they|he|she|that|which|who) (?:has |have |had )?)?\w+(?:ed|ent|en|ade|old|aid|ought)\b", tail):
            yield head, tail
