"""Of an answer that nobody read: the place at which only the word "also" is missing."""

import re
from collections.abc import Sequence

from workers.kinds.diagnose.rules.closed import Closed, read_closed

_MOST_MARKS = 20
"""Places at which an answer is tried as findings and what follows them."""
_ANY_ITEM = ("",) * 99
"""An end that names an item, also one that is not there, is a slip and no observation."""


def lacks_also(answer: str, items: Sequence[str]) -> str:
    """The end of an unread answer before which only the word "also" is missing: what is before it is findings. Else an empty text. It
    decides nothing, since such an end may take the findings back."""
    marks = list(re.finditer(r"[,，.。;；!！\n]", answer))[:_MOST_MARKS]
    for mark in reversed(marks):
        head, rest = answer[: mark.start()], answer[mark.end() :].strip()
        if not rest or not (read_closed(head, items) or Closed()).findings:
            continue
        read = (read_closed(f"{head}, also {rest}", items), read_closed(f"1 yes, also {rest}", _ANY_ITEM))
        if all(each is not None and each.remark == rest for each in read):
            return rest
    return ""
