"""Cells that are filled and say nothing ("N/A", "-", 无), and the label that a form prints before what a cell says ("Root cause: ...")."""

import re

from workers.tickets.prose_words import CAUSE_LABEL, FIX_LABEL

_BLANK = re.compile(
    r"^[\W_]*(?:none|nil|null|nothing|n\.?\s?/?\s?a\.?|no response|not applicable|not available"
    r"|not (?:yet )?(?:known|found|identified|determined)"
    r"|t\.?b\.?[acd]\.?|to be (?:filled in|determined|confirmed|done|defined)|unknown(?: (?:cause|reason))?"
    r"|undetermined|unclear|empty|no comment"
    r"|无|暂无|没有|空|未知|不详|不明|原因不明|未知原因|待定|待补充|待确认|待查|待分析|不适用|未填写|暂未定位)?[\W_]*$",
    re.IGNORECASE,
)
_LONGEST = 60
"""Characters of a cell that says nothing."""
_UNKNOWN = frozenset({
    "unknown", "not known", "unclear", "undetermined", "not determined", "tbd", "tba", "pending", "open", "under investigation",
    "still under investigation", "still investigating", "investigation ongoing", "not yet known", "not identified",
    "unbekannt", "unklar", "offen", "noch offen", "wird untersucht",
    "未知", "不明", "原因不明", "未知原因", "待查", "待定", "待分析", "排查中", "调查中", "分析中", "正在排查",
})  # fmt: skip
"""What a cell begins with, up to the first mark, that says that nobody knows."""
_MARKS = ",;.:!?(，；。：！？（–—\n"
_FRAMES = {"[": "]", "(": ")", "<": ">", "{": "}", "（": "）", "【": "】"}
"""Brackets around the whole of what a form or a template holds until somebody fills it in."""
_MOST_FRAMED = 500
_LABELLED = re.compile(
    r"^\s*(?P<label>[A-Za-z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff -]{0,30}?)\s*(?:[:：=]|\s[-–—]+\s)\s*(?P<rest>\S.*)$", re.DOTALL
)


def says_nothing(text: str) -> bool:
    """Whether a cell is filled for the form's sake."""
    return len(text) <= _LONGEST and _BLANK.match(text) is not None


def answers_nothing(text: str) -> bool:
    """Whether a cause or a fix is none: it says nothing, holds the words of a template in brackets, or says first that nobody knows."""
    if says_nothing(text):
        return True
    plain = text.strip().strip("*_`\"' ")
    end = min((place for mark in _MARKS if (place := plain.find(mark)) > 0), default=len(plain))
    return plain[:end].strip(" *_-").casefold() in _UNKNOWN or _is_framed(plain)


def _is_framed(text: str) -> bool:
    """Whether every line is in brackets of its own: `[Describe the cause]`. A list in JSON is none."""
    lines = [line.strip(" -*_") for line in text.splitlines() if line.strip(" -*_")]
    return 0 < len(text) <= _MOST_FRAMED and bool(lines) and all(map(_is_framed_line, lines))


def _is_framed_line(line: str) -> bool:
    closing = _FRAMES.get(line[0])
    return closing is not None and line.find(closing) == len(line) - 1 and line[1:2] not in ('"', "[", "{")


def unlabelled(text: str) -> str:
    """A cause or a fix without the label of its own field before it."""
    labelled = _LABELLED.match(text)
    if labelled and any(pattern.match(labelled["label"].strip()) for pattern in (CAUSE_LABEL, FIX_LABEL)):
        return labelled["rest"]
    return text
