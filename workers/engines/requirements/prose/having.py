"""Things chosen by an aggregate of their rows: `orders with a total quantity above 300`, 总数量超过 300 的订单."""

# ruff: noqa: E501 patterns

import re
from dataclasses import dataclass

from contracts.pipelines.expressions import Function

_SIGNS: dict[str, Function] = {
    **dict.fromkeys(("above", "over", "more than", "greater than", "larger than", "higher than", "exceeding", "超过", "大于", "高于", "多于", ">"), Function.GREATER),
    **dict.fromkeys(("at least", "no less than", "not less than", "不少于", "不低于", "不小于", "至少", "大于等于", ">=", "≥"), Function.GREATER_EQUAL),
    **dict.fromkeys(("below", "under", "less than", "fewer than", "lower than", "小于", "低于", "少于", "不到", "<"), Function.LESS),
    **dict.fromkeys(("at most", "no more than", "not more than", "up to", "不超过", "至多", "不多于", "不大于", "不高于", "<=", "≤"), Function.LESS_EQUAL),
}  # fmt: skip
_EN = "|".join(sorted((re.escape(word) for word in _SIGNS if word[0].isascii()), key=len, reverse=True))
_ZH = "|".join(sorted((re.escape(word) for word in _SIGNS), key=len, reverse=True))
_AGGREGATE = r"(?:total|summed|sum of|average|mean|number of|count of|largest|smallest|highest|lowest|latest|earliest) "
_VALUE = re.compile(
    rf"(?P<thing>.+?),? (?:with|having|whose|that have|that had|which have|who have) (?:an? |the )?(?P<of>{_AGGREGATE}.+?) (?:is |are |of |was )*(?P<sign>{_EN}) (?P<n>\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"(?P<thing>.+?),? (?:with|having|that have|that had|which have|who have|who placed|that placed) (?P<sign>{_EN}|exactly) (?P<n>\d+(?:\.\d+)?|one|two|three|four|five|ten) (?P<of>(?:different |distinct )?[a-z][\w ]*)",
    re.IGNORECASE,
)
_VALUE_ZH = re.compile(
    rf"(?P<of>[^，,。]*?(?:总|平均|最大|最小|数|之和|合计)[^，,。]*?)\s*(?:为)?\s*(?P<sign>{_ZH})\s*(?P<n>\d+(?:\.\d+)?)\s*(?:的|之)?\s*(?P<thing>[^\d\s，,]+)"
)
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "ten": "10"}


@dataclass(frozen=True, slots=True)
class Having:
    """Words for a thing, and a comparison of an aggregate of its rows with a number."""

    thing: str
    aggregate: str
    function: Function
    number: str


def having_of(text: str) -> Having | None:
    """The comparison in words for a thing; None where there is none."""
    body = text.strip()
    if found := _VALUE.fullmatch(body):
        return Having(found["thing"], found["of"], _SIGNS[found["sign"].lower()], found["n"])
    if found := _COUNTED.fullmatch(body):
        sign = Function.EQUAL if found["sign"].lower() == "exactly" else _SIGNS[found["sign"].lower()]
        return Having(found["thing"], f"number of {found['of']}", sign, _NUMBERS.get(found["n"].lower(), found["n"]))
    if found := _VALUE_ZH.fullmatch(body):
        return Having(found["thing"], found["of"], _SIGNS[found["sign"]], found["n"])
    return None
