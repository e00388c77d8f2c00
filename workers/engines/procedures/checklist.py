"""The steps in the text of a skill that has no procedure: its numbered headings, its numbered lists, or else its headings."""

import re
from collections.abc import Collection
from dataclasses import dataclass

MOST_ITEMS = 40
MOST_DETAIL = 2_000
"""Characters of an item's detail; the whole text is shown with the skill."""

_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<text>.+?)\s*#*$")
_STEP = re.compile(
    r"^(?:\**\s*)?(?:step|phase|stage|part)\s*\d|^\d{1,2}\s*[.、:：)]|^(?:步骤|阶段|第\s*[一二三四五六七八九十\d]+\s*[步阶])", re.IGNORECASE
)
_NUMBERED = re.compile(r"^(?P<indent>\s{0,3})\d{1,2}[.)、]\s*(?P<text>\S.*)$")
_CODE = re.compile(r"`([a-z][a-z0-9_.-]{1,63})`")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")


@dataclass(frozen=True, slots=True)
class SkillStep:
    """A step that the text describes."""

    text: str
    detail: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    is_code: bool
    level: int = 0
    """Of a heading."""


def steps_in(text: str, tools: Collection[str] = ()) -> tuple[SkillStep, ...]:
    """The steps of a skill's text. `tools`: names of tools, which an item may mention in backquotes."""
    lines = _lines(text)
    starts = _starts(lines)
    found: list[SkillStep] = []
    for place, start in enumerate(starts[:MOST_ITEMS]):
        end = starts[place + 1] if place + 1 < len(starts) else _end(lines, start)
        detail = "\n".join(line.text for line in lines[start + 1 : end]).strip()
        title = _title(lines[start])
        named = dict.fromkeys(_CODE.findall(lines[start].text + "\n" + detail))
        found.append(SkillStep(title, detail[:MOST_DETAIL], tuple(name for name in named if name in tools)))
    return tuple(found)


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    inside = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            inside = not inside
            found.append(_Line(line, True))
            continue
        heading = None if inside else _HEADING.match(line)
        found.append(_Line(line, inside, len(heading["marks"]) if heading else 0))
    return found


def _title(line: _Line) -> str:
    numbered = _NUMBERED.match(line.text)
    plain = numbered["text"] if numbered and not line.level else line.text.lstrip("#").strip()
    return _EMPHASIS.sub("", plain).strip().rstrip(":：") or plain


def _starts(lines: list[_Line]) -> list[int]:
    """The lines at which steps begin."""
    headings = [place for place, line in enumerate(lines) if line.level and _STEP.match(line.text.lstrip("#").strip())]
    if len(headings) > 1:
        top = min(lines[place].level for place in headings)
        return [place for place in headings if lines[place].level == top] if sum(lines[p].level == top for p in headings) > 1 else headings
    numbered = _longest_list(lines)
    if len(numbered) > 1:
        return numbered
    second = [place for place, line in enumerate(lines) if line.level == 2]
    return second if len(second) > 1 else [place for place, line in enumerate(lines) if line.level]


def _longest_list(lines: list[_Line]) -> list[int]:
    """The items of the numbered list with the most items; lists are separated by headings."""
    lists: list[list[int]] = [[]]
    for place, line in enumerate(lines):
        if line.level:
            lists.append([])
        elif not line.is_code and _NUMBERED.match(line.text):
            lists[-1].append(place)
    return max(lists, key=len)


def _end(lines: list[_Line], start: int) -> int:
    """Where the last step ends: at a heading that is not below it."""
    level = lines[start].level or 7
    return next((place for place in range(start + 1, len(lines)) if 0 < lines[place].level <= level), len(lines))
