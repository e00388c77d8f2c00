"""Cells that are filled and say nothing ("N/A", "-", 无), and the label that a form prints before what a cell says ("Root cause: ...")."""

import re

from workers.tickets.prose_words import CAUSE_LABEL, FIX_LABEL

_BLANK = re.compile(
    r"^[\W_]*(?:none|nil|null|nothing|n\.?\s?/?\s?a\.?|not applicable|not available|not (?:yet )?(?:known|found|identified|determined)"
    r"|t\.?b\.?[acd]\.?|to be (?:determined|confirmed|done|defined)|unknown(?: (?:cause|reason))?|undetermined|unclear|empty|no comment"
    r"|无|暂无|没有|空|未知|不详|不明|原因不明|未知原因|待定|待补充|待确认|待查|待分析|不适用|未填写|暂未定位)?[\W_]*$",
    re.IGNORECASE,
)
_LONGEST = 60
"""Characters of a cell that says nothing."""
_LABELLED = re.compile(
    r"^\s*(?P<label>[A-Za-z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff -]{0,30}?)\s*(?:[:：=]|\s[-–—]+\s)\s*(?P<rest>\S.*)$", re.DOTALL
)


def says_nothing(text: str) -> bool:
    """Whether a cell is filled for the form's sake."""
    return len(text) <= _LONGEST and _BLANK.match(text) is not None


def unlabelled(text: str) -> str:
    """A cause or a fix without the label of its own field before it."""
    labelled = _LABELLED.match(text)
    if labelled and any(pattern.match(labelled["label"].strip()) for pattern in (CAUSE_LABEL, FIX_LABEL)):
        return labelled["rest"]
    return text
