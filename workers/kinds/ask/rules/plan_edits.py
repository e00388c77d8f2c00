"""Changes of a query plan that a message asks for beside its question: a bound on the measure, the first so many, an order.

"By number of transactions, and only those with at least 5": the first half is a question, the second changes its plan. "Just the top 5"
changes the plan of the question before.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.queries import GroupCondition, Operator, Ordering, QueryPlan, Selected
from workers.engines.squeezing import squeezed

_IGNORE = re.IGNORECASE
_MOST_CHARACTERS = 1_000
"""Characters of a message that may end with such changes."""
_NUMBER_WORDS = dict(zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], range(1, 11), strict=True)) | {
    **dict(zip("一二三四五六七八九十", range(1, 11), strict=True)), "两": 2, "dozen": 12, "twenty": 20
}  # fmt: skip
_NUMBER = r"(?P<number>\d+(?:[.,]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|twenty|[一二两三四五六七八九十])"
_WHOM = r"(?:(?:and|but)\s+)?(?:(?:only|just|keep|show|give me|with|where|whose|having|that have|who have|which have)\s+)*(?:those|the ones|ones|groups|it is|there are)?\s*(?:(?:with|having|that have|who have|which have|of|that are|where it is|above all)\s+)*"  # noqa: E501 a pattern

_COMPARISONS: tuple[tuple[str, Operator], ...] = (
    (r"at least|no less than|no fewer than|not less than|>=|≥|至少|不少于|不低于|大于等于|不小于", Operator.GREATER_EQUAL),
    (r"at most|no more than|up to|not more than|<=|≤|至多|最多|不超过|不多于|不高于|小于等于", Operator.LESS_EQUAL),
    (r"more than|over|above|greater than|higher than|exceeding|>|超过|大于|多于|高于", Operator.GREATER),
    (r"less than|fewer than|under|below|lower than|<|少于|低于|小于|不到|不足", Operator.LESS),
)
_COMPARED = "|".join(f"(?P<op{index}>{pattern})" for index, (pattern, _) in enumerate(_COMPARISONS))
_UNIT = r"(?P<unit>\s*(?:次|个|笔|条|名|位|家|单|元|件|门|人|\b[a-z]+\b)?)"
_BOUND = re.compile(rf"(?:[,;，；]|^|\s|(?<=[\u3400-\u9fff]))\s*{_WHOM}(?:只要|只看|只保留|仅保留|其中|并且|且|而且)?\s*(?:{_COMPARED})\s*(?:有)?\s*{_NUMBER}{_UNIT}\s*的?\W*$", _IGNORE)  # fmt: skip # noqa: E501 a pattern
_BOUND_BEHIND = re.compile(
    rf"(?:[,;，；]|^|\s|(?<=[\u3400-\u9fff]))\s*(?:只要|只看|只保留|仅保留|其中)?\s*{_NUMBER}{_UNIT}(?P<side>及以上|以上|及以下|以下)\s*的?\W*$"
)
_TOP = re.compile(
    rf"(?:[,;，；]|^|\s)\s*(?:(?:and|but|now|only|just|show|give|me|keep|limit|it|them|this|that|to)\s+)*(?:the\s+)?(?P<which>top|first|best|bottom|worst|last)\s+{_NUMBER}(?:\s+(?:only|ones|of them|rows|results|please))?\W*$"  # noqa: E501 a pattern
    rf"|(?:[,;，；]|^)\s*(?:只要|只看|只取|取|仅看|要)?(?P<zh>前|后|最后)\s*(?P<zhnumber>\d+|[一二两三四五六七八九十])\s*(?:名|个|位|条|家|行|大)?的?\W*$",
    _IGNORE,
)
_SORT = re.compile(
    r"(?:[,;，；]|^|\s)\s*(?:(?:and|but|now|sorted?|order(?:ed)?|rank(?:ed)?|it|them|this|by (?:it|that|the (?:number"
    r"|count|total|amount|value)))\s+)*"
    r"(?:in\s+)?(?P<how>descending|ascending|desc|asc|(?:highest|largest|biggest|most|best|lowest|smallest|fewest|least) first|from (?:high|low|most|least|largest|smallest) to (?:high|low|most|least|largest|smallest))(?:\s+order)?\W*$"  # noqa: E501 a pattern
    r"|(?:[,;，；]|^|(?<=[\u3400-\u9fff]))\s*(?:再|并|请)?(?:按)?(?P<zh>从高到低|从大到小|从多到少|降序|倒序|从低到高|从小到大|从少到多|升序)(?:排序|排列|排)?的?\W*$",
    _IGNORE,
)
_DOWN = re.compile(r"desc|highest|largest|biggest|most first|best|from (?:high|most|largest)|从高|从大|从多|降序|倒序", _IGNORE)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change: a bound on the only measure, a number of rows, or an order by the measure."""

    operator: Operator | None = None
    number: str = ""
    rows: int | None = None
    descending: bool | None = None


def edits_in(words: str) -> tuple[str, list[Edit]]:
    """The words without the changes at their end, and the changes."""
    found: list[Edit] = []
    rest = squeezed(words)
    while len(rest) <= _MOST_CHARACTERS:
        for read in (_bound, _bound_behind, _top, _sort):
            if (made := read(rest)) is not None:
                rest, edit = made
                found.append(edit)
                break
        else:
            break
    return rest.strip(" ,，;；。.!！?？"), found


def _bound(words: str) -> tuple[str, Edit] | None:
    match = _BOUND.search(words)
    if match is None:
        return None
    operator = next(operator for index, (_, operator) in enumerate(_COMPARISONS) if match[f"op{index}"])
    return words[: match.start()], Edit(operator=operator, number=_number(match["number"]))


def _bound_behind(words: str) -> tuple[str, Edit] | None:
    match = _BOUND_BEHIND.search(words)
    if match is None:
        return None
    operator = Operator.GREATER_EQUAL if "上" in match["side"] else Operator.LESS_EQUAL
    return words[: match.start()], Edit(operator=operator, number=_number(match["number"]))


def _top(words: str) -> tuple[str, Edit] | None:
    match = _TOP.search(words)
    if match is None:
        return None
    last = (match["which"] or "").lower() in ("bottom", "worst", "last") or match["zh"] in ("后", "最后")
    return words[: match.start()], Edit(rows=int(_number(match["number"] or match["zhnumber"])), descending=not last)


def _sort(words: str) -> tuple[str, Edit] | None:
    match = _SORT.search(words)
    return (words[: match.start()], Edit(descending=bool(_DOWN.search(match["how"] or match["zh"])))) if match else None


def _number(text: str) -> str:
    return str(_NUMBER_WORDS.get(text.lower(), text.replace(",", "")))


def edited(plan: QueryPlan, edits: Sequence[Edit]) -> QueryPlan | None:
    """The plan with the changes; None where it has not exactly one measure to which they may belong."""
    for edit in edits:
        if edit.operator is not None and (changed := _with_other_bound(plan, edit)) is not None:
            plan = changed
            continue
        places = [place for place, item in enumerate(plan.selected, start=1) if item.value.aggregate is not None]
        if len(places) != 1 or not plan.group_by:
            return None
        item = plan.selected[places[0] - 1]
        if edit.operator is not None:
            if item.relation is not None or item.share_of_total:
                return None
            bound = GroupCondition(value=item.value, operator=edit.operator, values=(edit.number,))
            plan = plan.model_copy(update={"having": (*plan.having, bound)})
            continue
        order = (Ordering(position=places[0], descending=bool(edit.descending)),)
        keeps = edit.rows is not None and bool(edit.descending) and any(_is_by(order, places[0], item) for order in plan.order_by[:1])
        plan = plan.model_copy(update={"order_by": plan.order_by if keeps else order, **({"limit": edit.rows} if edit.rows else {})})
    return plan


_UPWARDS = (Operator.GREATER, Operator.GREATER_EQUAL)


def _with_other_bound(plan: QueryPlan, edit: Edit) -> QueryPlan | None:
    """`more than 40` behind `more than 20`: the bound of the plan, with another number. None where it has not exactly one such bound."""
    if len(plan.having) != 1 or edit.operator is None or (plan.having[0].operator in _UPWARDS) != (edit.operator in _UPWARDS):
        return None
    bound = plan.having[0].model_copy(update={"operator": edit.operator, "values": (edit.number,)})
    return plan.model_copy(update={"having": (bound,)})


def _is_by(order: Ordering, place: int, item: Selected) -> bool:
    return order.position == place or order.value == item.value


_WHICH = re.compile(r"\bwhich\b|\bwho\b|哪|谁", _IGNORE)
_BY_NAME = re.compile(r"\b(?:names?|titles?) of\b|\bwhat (?:is|are) the\b|叫什么|名字|名称|标题", _IGNORE)


def with_measure(plan: QueryPlan, question: str) -> QueryPlan:
    """The plan of "which restaurant has the best rating" with the rating beside the name, where only the name is not asked for."""
    if not _WHICH.search(question) or _BY_NAME.search(question):
        return plan
    if plan.is_distinct or plan.limit is None or len(plan.order_by) != 1:
        return plan
    value = plan.order_by[0].value
    if value is None or any(item.value == value for item in plan.selected) or value.aggregate is not None or plan.group_by:
        return plan
    shown = (*plan.selected, Selected(value=value))
    order = plan.order_by[0].model_copy(update={"value": None, "position": len(shown)})
    return plan.model_copy(update={"selected": shown, "order_by": (order,)})
