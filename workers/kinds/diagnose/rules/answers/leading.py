"""A yes or no at the beginning, with details behind it: "yes, the node does not answer on 8080", 「有，应用节点没有响应」.

To a single item the word at the beginning decides, and so does a yes before words that only one item has. What follows are details: a "not"
in them belongs to the system ("does not answer") and denies no item.
"""

import re
from dataclasses import dataclass

from contracts.diagnose.deliverables import Finding
from workers.kinds.diagnose.rules.answers.figures import against, figures_in
from workers.kinds.diagnose.rules.answers.items import Items
from workers.kinds.diagnose.rules.answers.lifeless import is_lifeless, says_alive, says_lifeless
from workers.kinds.diagnose.rules.answers.tokens import Prose, narrow, pieces
from workers.kinds.diagnose.rules.answers.verdicts import Says, verdict_of
from workers.kinds.diagnose.rules.answers.words import Kind

_YES = re.compile(
    r"\W{0,3}(?:1[ .:)、]{1,3})?(?:(?:yes|yep|yeah|yup|indeed|correct)(?![\w'’-])|是的|有的|对的|没错|确实|是|有|对|嗯)", re.IGNORECASE
)
_NO = re.compile(r"\W{0,3}(?:1[ .:)、]{1,3})?(?:(?:no|nope|nah)(?![\w'’-])|没有的|不是的|没有|不是|不对|否|没)", re.IGNORECASE)
_PARTED = re.compile(r"\s{0,3}[,，;；:：.。!！\-–—\n]{1,3}\s{0,3}")
_GOES_ON = re.compile(r"[ \t]{1,3}(?=[A-Za-z])")
"""A Latin yes needs no comma: "yes there is no process left"."""
_DOES_NOT = re.compile(
    r"(?:it|they|that) (?:(?:does|do|did|is|are|has|have|was|were) not|(?:does|do|did|is|are|has|have|was|were)n['’]t) \w", re.IGNORECASE
)
"""How a yes goes on to an item that is itself about what does not happen."""
_CLAUSE = re.compile(r"[,，;；。\n]|[.](?=\s)")


@dataclass(frozen=True)
class Led:
    """A verdict on one item (from 1), and where the details begin."""

    number: int
    finding: Finding
    details: int


def led(text: str, items: Items) -> Led | None:
    """The verdict that a reply begins with, where it decides. None: it has none, or what follows is an answer of its own ("yes, no",
    "no, 2 yes", "yes, not sure"), or its figures say the opposite."""
    for pattern, finding in ((_NO, Finding.DENIED), (_YES, Finding.CONFIRMED)):
        if (word := pattern.match(text)) is None:
            continue
        parted = _PARTED.match(text, word.end()) or (_GOES_ON.match(text, word.end()) if finding is Finding.CONFIRMED else None)
        if parted is None or not text[parted.end() :].strip():
            return None
        details = text[parted.end() :]
        number = _decided(details, finding, items)
        return Led(number, finding, parted.end()) if number else None
    return None


def _decided(details: str, finding: Finding, items: Items) -> int | None:
    """The item that the leading word decides."""
    first = _CLAUSE.split(details, maxsplit=1)[0]
    if len(items.each) == 1:
        number = 1
    else:
        spoken = items.spoken_of(first) if finding is Finding.CONFIRMED else None
        number = spoken[0] if spoken else 0
    if not number:
        return None
    item = items.each[number - 1]
    is_dead = finding is Finding.CONFIRMED and is_lifeless(item.text)
    if is_dead and says_alive(first):
        return None
    verdict = verdict_of(first)
    if len(items.each) > 1 and verdict.own_word and verdict.says is Says.FAILS and not is_dead:
        return None
    is_repeated = finding is Finding.CONFIRMED and _DOES_NOT.match(first) is not None and verdict_of(item.text).says is Says.FAILS
    if not (is_repeated or (is_dead and says_lifeless(first))) and _answers_itself(details):
        return None
    figures = against(figures_in(details), item.threshold)
    return number if figures in (None, finding) else None


def _answers_itself(details: str) -> bool:
    """Whether there are answer words in the details: verdicts, or items by number."""
    kinds = (Kind.NUMBER, Kind.VERDICT, Kind.REST, Kind.ALL, Kind.UNCLEAR)
    return any(token.kind in kinds for piece in pieces(narrow(details)) if not isinstance(piece, Prose) for token in piece)
