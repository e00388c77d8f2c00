"""What rows of a report are grouped by: `revenue per supplier nation and year of shipping`, `for each return flag`, 按地区和月份."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function
from contracts.queries import DatePart, TimeUnit
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.pieces import COUNTER, group_parts, name_of
from workers.engines.requirements.prose.scope import Scope

_EACH = r"(?:per|by|for each|for every|of each|in each|grouped by)"
_FIRST = (
    re.compile(rf"{_EACH} (?P<keys>[^,]+?(?:, [^,]+?)*?)(?:,? (?:of|among|over|for|in) (?P<rows>.+))?", re.IGNORECASE),
    re.compile(
        rf"按\s*(?P<keys>.+?)\s*(?:统计|汇总|分组|分别统计|计算)?(?:[，,]\s*(?P<rows>.+))?|每{COUNTER}\s*(?P<keys2>[^的，,]+?)(?:的\s*(?P<rows2>.+))?"
    ),
)
_LAST = (
    re.compile(rf"(?P<rows>.+?),? {_EACH} (?P<keys>.+)", re.IGNORECASE),
    re.compile(r"(?P<rows>.+?)[，,]?\s*按\s*(?P<keys>.+?)\s*(?:统计|汇总|分组|分别统计|计算)?"),
)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Words for the columns that rows are grouped by, and for the rows, if they are said."""

    keys: tuple[str, ...]
    rows: str = ""


def groupings_of(text: str) -> list[Grouping]:
    """The ways to read a piece as what rows are grouped by, the one that takes most as keys last."""
    found: list[Grouping] = []
    for pattern in (*_FIRST, *_LAST):
        if match := pattern.fullmatch(text.strip()):
            groups = match.groupdict()
            keys, rows = groups.get("keys") or groups.get("keys2") or "", groups.get("rows") or groups.get("rows2") or ""
            found.append(Grouping(tuple(part for part in group_parts(keys) if part), rows))
    return found


def key_value(words: str, scope: Scope, phrases: Phrases) -> Expression | None:
    """A column by its words, the name of a thing, or a part of a moment: a year is its number."""
    value = phrases.values(scope.base).value(words)
    if isinstance(value, Call) and value.function is Function.CUT and value.unit is TimeUnit.YEAR:
        return Call(function=Function.PART, arguments=value.arguments, part=DatePart.YEAR)
    return value if isinstance(value, ColumnOf) else name_of(words, scope)


def key_label(value: Expression, taken: Sequence[str]) -> str:
    """The name of such a column."""
    wanted = value.name if isinstance(value, ColumnOf) else "year"
    return wanted if wanted not in taken else next(name for number in range(2, 100) if (name := f"{wanted}_{number}") not in taken)
