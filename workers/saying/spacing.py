"""Spaces of a text whose language writes none between its characters: the gaps of a template leave some, and lack others."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.saying.spans import Span

UNSPACED = frozenset({"zh", "ja"})
"""Languages without spaces between their characters. Between them and Latin letters or digits a template has a space: `Stage 4 的 task`."""

_IDEOGRAPH = r"\u3400-\u9fff"
_MARK = r"，。、；：？！（）「」『』《》“”"
_NEEDLESS = f"(?<=[{_IDEOGRAPH}{_MARK}]) +(?=[{_IDEOGRAPH}{_MARK}])|(?<=[{_MARK}]) +| +(?=[{_MARK}])"


def is_unspaced(language: str) -> bool:
    """Whether the language writes no spaces between its characters."""
    return language.replace("_", "-").split("-")[0] in UNSPACED


_LACKING = f"(?<![年月])(?<=[{_IDEOGRAPH}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9%])(?=[{_IDEOGRAPH}])(?![年月日])"
"""Where Latin letters or digits meet an ideograph, but in a date."""


def well_spaced(spans: "Sequence[Span]", is_ours: "Sequence[bool]") -> "tuple[Span, ...]":
    """The spans with corrected spaces. Only spans marked in `is_ours` are changed; their neighbours of any kind are taken into account."""
    shown = list(spans)
    for place, span in enumerate(shown):
        if is_ours[place]:
            before = shown[place - 1].text[-1:].strip() if place else ""  # a space of a neighbour stays, so it is no context
            after = shown[place + 1].text[:1].strip() if place + 1 < len(shown) else ""
            text = re.sub(_LACKING, " ", re.sub(_NEEDLESS, "", f"{before}{span.text}{after}"))
            shown[place] = replace(span, text=text[len(before) : len(text) - len(after)])
    return tuple(span for span in shown if span.text)
