"""A value behind an item's number, in the place of a yes or no: "1 90 s, 2 no", "2: 12000 a minute", 「1 三十分钟，2 没有」.

Such a piece becomes the number with the verdict that the value amounts to: against the item's threshold, else beside what was measured in
other incidents (examples.py). What says how sure somebody is, or when something happened, is no value; and a value that cannot be
compared stays as it is. Every pattern is bounded, so that hostile text takes linear time.
"""

import re
from collections.abc import Sequence

from contracts.diagnose.deliverables import Finding
from workers.kinds.diagnose.rules.answers.examples import beside
from workers.kinds.diagnose.rules.answers.figures import against, figures_in, in_unit_of, threshold_of

_VERDICT = r"(?:yes|yep|yeah|no|nope|none|not|don'?t know|dunno|unknown|true|false|确认|否定|不清楚|不知道|没有|没|有|是|否)"
_ABOUT = (
    r"(?:it'?s|is|was|about|around|roughly|approximately|only|every|at|now|currently|over|more than|almost|nearly)\b|~|≈"
    + "|约|大约|为|是|每|已|超过|接近"
)
_PIECE = re.compile(
    r"(?P<before>^\s*|[,，;；。\n]\s*|\b(?:yes|no|and)\s+|(?:确认|否定|没有|有)\s*)#?(?P<number>[1-9])(?:\s*(?:\.(?!\d)|[:：)=])\s*|\s+)"
    rf"(?P<value>(?:(?:{_ABOUT})\s*){{0,3}}"
    r"(?:\d[\d.,]*\d|\d|half an?\b|[一二两三四五六八十半几]{1,2})(?![\d.:/-]\d)[^,，;；。\n]{0,30}?)"
    rf"(?=\s*(?:[,，;；。\n]|$|\.(?:\s|$)|\s#?[1-9]\s*[:：=]?\s*{_VERDICT}|\sand\s#?[1-9]\s))",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"\b(?:sure|certain|likely|confident|ago|before|later|since|until|yesterday|today|am|pm|o'?clock|times? looked|or)\b"
    rf"|{_VERDICT}(?![a-z])"
    r"|把握|可能|确定|之前|以前|前[，。]?$|之后|昨天|今天|点[钟半]?$",
    re.IGNORECASE,
)
_MOST_BARE = 9
"""A number up to this without a unit may be that of another item."""


def with_verdicts(text: str, items: Sequence[str]) -> str:
    """The reply with a verdict for each value from which one follows."""
    return _PIECE.sub(lambda match: _replaced(match, items), text)


def _replaced(match: re.Match[str], items: Sequence[str]) -> str:
    number, value = int(match["number"]), match["value"]
    if number > len(items) or _NO_VALUE.search(value):
        return match[0]
    finding = _finding(value, items[number - 1])
    if finding is None:
        return match[0]
    return f"{match['before']}{number} {'yes' if finding is Finding.CONFIRMED else 'no'}"


def _finding(value: str, item: str) -> Finding | None:
    figures = figures_in(value)
    if not figures or not any(
        figure.dimension or not 0 < figure.value <= _MOST_BARE or not figure.value.is_integer() for figure in figures
    ):
        return None
    threshold = threshold_of(item)
    return beside(figures, item) if threshold is None else against(in_unit_of(figures, threshold), threshold)
