"""The first rows of each group: `only the first 3 by amount of each month, ties by the smaller code`, 每个 a 只保留 b 最高的前 3 个."""

# ruff: noqa: E501 patterns

import re
from dataclasses import dataclass

from workers.engines.requirements.prose.column_lists import number_of

_N = r"(?P<n>\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
_TIES = r"(?:\s*[,;]\s*(?:ties (?:go to|are broken by|by|broken by)|(?:among|for) equal(?: \w+)?) (?:the )?(?:one with the )?(?P<way>smaller|lower|earlier|larger|higher|later|smallest|lowest|earliest|largest|highest|latest) (?P<tie>\w+)(?: first)?)?"
_EN = re.compile(
    rf"(?:only |keep |take )?(?:only )?(?:the )?(?P<w>first|top|last|bottom) {_N}(?: rows)? by (?P<lowest>the lowest |the highest )?(?P<by>\w+) (?:of|in|per|within|for) (?:each |every )?(?P<g>\w+(?:(?:, | and )\w+)*){_TIES}",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"每(?:个|一个|位|家|种)?\s*(?P<g>\w+?(?:、\w+?)*)\s*(?:只|仅)?(?:保留|取|要)\s*(?P<by>[A-Za-z_]\w*|[\u3400-\u9fff]{2,8}?)\s*最(?P<d>高|多|大|低|少|小|早|晚|新)的?\s*前?\s*(?P<n>\d+|[一二两三四五六七八九十]+)\s*(?:个|条|名|行|位|项)?(?:[，,；]\s*(?:\w*?相同|并列)时?\s*(?:取|按)?\s*(?P<tie>[A-Za-z_]\w*?)\s*(?:较|最)?(?P<way>小|大|早|晚)的?(?:那个|在前|优先)?)?"
)
_PLACE = re.compile(
    r"(?:the )?(?:rank|place|position|number|row number)(?: (?:by|of|within|in|from 1)\b.*)?|.*(?:名次|排名|序号).*|row_number\(\).*",
    re.IGNORECASE,
)
_PLACE_NAME = re.compile(r"(?:\w+_)?(?:rank|place|position|pos|rn|rk|row_no|row_num|ranking|top_no)", re.IGNORECASE)
_DOWN = frozenset("高多大晚新")
_UP = frozenset({"smaller", "lower", "earlier", "smallest", "lowest", "earliest", "小", "早"})


@dataclass(frozen=True, slots=True)
class First:
    """How many rows of each group are kept, by which column; the names are those of the target's columns."""

    number: int
    by: str
    is_descending: bool
    groups: tuple[str, ...]
    tie: str = ""
    tie_descending: bool = False


def first_of(text: str) -> First | None:
    """What a clause or a sentence says of the first rows; None: nothing."""
    body = text.strip(" .。")
    if found := _EN.fullmatch(body):
        down = found["w"].lower() in ("first", "top") and "lowest" not in (found["lowest"] or "").lower()
        groups = tuple(part for part in re.split(r"\s*(?:,|\band\b)\s*", found["g"].lower()) if part)
    elif found := _ZH.fullmatch(body):
        down, groups = found["d"] in _DOWN, tuple(part.lower() for part in re.split(r"[、和]", found["g"]) if part)
    else:
        return None
    number = number_of(found["n"])
    if not number:
        return None
    return First(number, found["by"].lower(), down, groups, (found["tie"] or "").lower(), (found["way"] or "").lower() not in _UP)


def is_place(name: str, meaning: str) -> bool:
    """Whether a column is the number of the row in its group."""
    return bool(_PLACE.fullmatch(meaning.strip())) if meaning.strip() else bool(_PLACE_NAME.fullmatch(name))
