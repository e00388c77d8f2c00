"""How the parts of a question go together: patterns over their letters, tried in order, each replacing what it matches by what it means.

A part that no pattern takes up is left over, and a question with leftovers is not answered.
"""

import re
from collections.abc import Callable, Sequence

from workers.engines.questions import combining, conditions, counting, happening, lists, ranking, ratios
from workers.engines.questions.items import Item, Kind

Action = Callable[[Sequence[Item]], "Item | Sequence[Item] | None"]
"""What replaces the matched items; None: the pattern does not apply here."""


def reduce(items: Sequence[Item], *, chinese: bool = False) -> list[Item]:
    """The sentence with everything put together that goes together. In Chinese, the key of an order comes before `most`,
    and the ratio behind its parts."""
    has_ratio = any(item.kind == Kind.RATIO for item in items)
    made = [item for item in items if has_ratio or item.kind != Kind.VERSUS or item.text.lower() != "to"]
    if has_ratio:
        made = _with_columns(made)
    is_compared = any(item.kind == Kind.RATIO and _BETWEEN_TWO.search(item.text) for item in items)
    for pattern, action in _CHINESE_RULES if chinese else _RULES:
        if is_compared and action is lists.repeated_noun:
            continue
        made = _applied(made, _EITHER if is_compared and action is lists.value_list else pattern, action)
    return made


_BETWEEN_TWO = re.compile(r"ratio|之比|比值|比率|比例", re.IGNORECASE)
"""Words for a ratio of one thing to another, of which `and` names the second; a share is of all."""
_EITHER = re.compile(r"!?V(?:\|V)+")
"""The values that are a single thing beside such a word."""


def letters(items: Sequence[Item]) -> str:
    """The sentence as the patterns see it."""
    return "".join(item.kind.value for item in items)


def _applied(items: list[Item], pattern: re.Pattern[str], action: Action) -> list[Item]:
    place = 0
    while match := pattern.search(letters(items), place):
        begin, stop = match.span("x") if "x" in pattern.groupindex else match.span()
        new = action(items[begin:stop])
        if new is None:
            place = match.start() + 1
            continue
        put = [new] if isinstance(new, Item) else list(new)
        items = [*items[:begin], *put, *items[stop:]]
        place = begin
    return items


def _with_columns(items: Sequence[Item]) -> list[Item]:
    """`rating above 4 to restaurants below 4`: the second comparison is of the same column."""
    made: list[Item] = []
    column: Item | None = None
    for place, item in enumerate(items):
        before = items[place - 1] if place else None
        if item.kind == Kind.COMPARE and before is not None and before.kind == Kind.COLUMN:
            column = before
        elif item.kind == Kind.COMPARE and column is not None:
            made.append(column)
        made.append(item)
    return made


_ENGLISH = (
    (r"CI#[&Y]#", conditions.between),
    (r"C!?>[#1]", conditions.compared),
    (r">C[#1](?![TC#U])", conditions.compared),
    (r"(?<![ASNOBGJPRm>])(?P<x>C#)(?![TC#U])", happening.is_number),
    (r">[#1](?=C)(?!CM)C", conditions.compared),
    (r">[#1]T", counting.having),
    (r"[HL]J#?T[H]?Z|J#?TH+Z", happening.last_time),
    (r"J#?TZ|JZ#?T", happening.latest_by),
    (r"S#?C|(?<=H)CS(?=\.?$)", happening.most_common),
    (r"AN?CGT", happening.average_per_own_row),
    (r"(?<=T)#C(?=H?$)|(?<=TH)#C$", happening.has_number),
    (r"C~|~C", conditions.above_average),
    (r"CkV|C!kV", conditions.valued),
    (r"VkC", conditions.valued),
    (r"V(?P<n>[TC])(?:[&|]+V(?P=n))+", lists.repeated_noun),
    (r"(?P<n>[TC])V(?:[&|]+(?P=n)V)+", lists.repeated_noun),
    (r"[CF]!?V(?:[&|]+V)+", lists.column_list),
    (r"(?<!G)(?P<x>!?V(?:[&|]+V)+C)(?!V)", lists.column_list),
    (r"(?<!G)(?P<x>!?VC)(?!V)", conditions.valued),
    (r"(?<!G)(?P<x>VC)(?=V)", conditions.valued_before_a_value),
    (r"[CF]!?V", conditions.valued),
    (r"!V[TC]", conditions.without_some),
    (r"VkC", conditions.valued),
    (r"Tw!?V|wV", conditions.named),
    (r"TV|VT", conditions.of_table),
    (r"(?<=T)BVT", combining.done_by),
    (r"b?!?V(?:[&|]+V)+", lists.value_list),
    (r"!?V", conditions.value_part),
    (r"C!?0", conditions.empty),
    (r"(?<!G)(?P<x>!C)(?![V>#0C])", conditions.without_value),
    (r"[GB]W", combining.by_weekday),
    (r"W", conditions.weekend),
    (r"!?F", conditions.flag),
    (r"c(?:\|c)+", conditions.alternatives),
    (r">[#1]c+T", counting.having),
    (r"!TM", conditions.absent_in),
    (r"!T", conditions.absent),
    (r"AU(?=[TCK])", combining.total_of_each_unit),
    (r"ATN|ANT", counting.total_count),
    (r"ANC", happening.average_number),
    (r"Nd?c*[TC]", counting.count),
    (r"(?<!S)Nd?c+(?![TCc])", counting.count_of_kind),
    (r"A[CK]", combining.aggregate),
    (r"ATC", combining.aggregate_of_own),
    (r"ATC?|Ac+T(?!C)", combining.summed),
    (r"R[CmK](?=[GB])", ratios.share_of_each),
    (r"RT(?=[GB][CTU]M?\.?$)", ratios.share_of_each),
    (r"U", combining.unit_group),
    (r"U(?=m)", combining.grouped),
    (r"R[mTc&]+Y[mTc]+", ratios.ratio),
    (r"R(?=C)CYC", ratios.ratio_of_columns),
    (r"R[mT][Tc]*c", ratios.part_of_all),
    (r"RcT(?![Tc])", ratios.part_of_all),
    (r"(?:^|(?<=\.))[HL]+[SJ]C", ranking.extreme),
    (r"^SC(?![TC>V#])", ranking.extreme_alone),
    (r"#S(?=TB[mCK])", ranking.top_part),
    (r"S#T(?!B)", ranking.superlative_of_several),
    (r"P#|S#(?=T)|#P", ranking.top_part),
    (r"#J(?=T)T|J#?T", ranking.latest),
    (r"OSCYS?", ranking.from_best),
    (r"S[CTmK]|Sc+T", ranking.superlative),
    (r"(?<=[TC])[TZ]S(?![TCKm#])", happening.most_done),
    (r"T[SJ]$", happening.superlative_behind),
    (r"K", combining.metric),
    (r"[CZ]M|MZ", combining.period),
    (r"Z(?:c|G[TC])+M", combining.period_behind),
    (r"!?Z", happening.happened),
    (r"(?<![GBN])TM", combining.period_near),
    (r"G[TCUF](?:&[TCUF])*(?![>V])", combining.grouped),
    (r"OB?[mCTUK](?:[&D]*[mCTUK])*D?|O?D", ranking.ordered),
    (r"t[^.B]*B[mCK]", ranking.topped),
    (r"t[^.]*BT$", ranking.topped_by_number),
    (r"t[^.]*?t", ranking.topped_by_superlative),
    (r"#[TC][^.]*?t", ranking.numbered),
    (r"B[TCUF](?:&[TCUF])*", combining.grouped),
    (r"b(?!c|V)", combining.drop_part),
)

_CHINESE_ONLY = {
    r"(?<![ASNOBGJPRm>])(?P<x>C#)(?![TC#U])": ((r"(?<![ASNOBGJPRm>])(?P<x>C#)(?![#U])", happening.is_number),),
    r"[CZ]M|MZ": ((r"[CZ]M|M[CZ]", combining.period),),
    r"Nd?c*[TC]": (
        (r"ZN(?![TC])", happening.number_of_events),
        (r"G(?=N)", combining.drop_part),
        (r"Nd?c*[TC]", counting.count),
        (r"(?<!G)(?:TN|CN(?!c))", counting.count),  # 办公室有多少台打印机 does not count offices
        (r"TA", combining.summed_behind),
    ),
    r"R[mTc&]+Y[mTc]+": ((r"[mTc]+[&Y][mTc]+R", ratios.ratio_behind), (r"R[mTc&]+Y[mTc]+", ratios.ratio)),
    r"S#T(?!B)": (),
    r"!?V": ((r"TVS(?=\.?$)", happening.most_of_a_kind), (r"!?V", conditions.value_part)),
    r"#J(?=T)T|J#?T": ((r"CJ#?T", happening.latest_by_column), (r"#J(?=T)T|J#?T", ranking.latest)),
    r"P#|S#(?=T)|#P": (
        (r"(?<=[TC])[TZ]S(?![TCKm#P])", happening.most_done),
        (r"[mCKT]SP?#?[TC]?", ranking.most_behind),
        (r"P#", ranking.top_part),
        (r"ST", ranking.superlative),
    ),
    r"R[CmK](?=[GB])": ((r"(?<=[GBTCUFc])[CmK]R$", ratios.share_of_each),),
    r"!TM": ((r"M!T", conditions.absent_in),),
    r"AU(?=[TCK])": ((r"A(?P<x>CN)(?![TC])", counting.without_count), (r"AU(?=[TCK])", combining.total_of_each_unit)),
    r"A[CK]": ((r"A[CK]", combining.aggregate), (r"[CK]A", combining.aggregate)),
    r"(?<!S)Nd?c+(?![TCc])": ((r"Nd?c+(?![TCc])", counting.count_of_kind), (r"(?<!T)c+N(?![TC])", counting.count_of_kind)),
    r">[#1]T": (
        (r"(?<!G)T>[#1](?!c*T?$)|T>[#1]T", counting.having_behind),
        (r">[#1]T", counting.having),
        (r"T>[#1](?!T)", counting.having),
    ),
    r"R[mT][Tc]*c": ((r"(?:[mT][Tc]*c|c+T)[Tc]*R", ratios.part_of_all_behind), (r"R[mT][Tc]*c", ratios.part_of_all)),
    r"S[CTmK]": ((r"SC", ranking.superlative),),
    r"B[TCUF](?:&[TCUF])*": ((r"BTC", combining.grouped_by_own), (r"B[TCUF](?:&[TCUF])*", combining.grouped)),
    r"VkC": ((r"C!?Vk", conditions.valued), (r"VkC", conditions.valued)),
    r"OB?[mCTUK](?:[&D]*[mCTUK])*D?|O?D": (
        (r"B[mCTUK](?:&[mCUK])*(?:O&?D?|&?D)|[mCK]O?D(?!.*[mCK])(?<=.)", ranking.ordered),
        (r"O?DO?", ranking.ordered),
    ),
    r"(?:^|(?<=\.))[HL]+[SJ]C": ((r"SCH", ranking.extreme_behind),),
}
"""Patterns that Chinese has instead of an English one."""


def _compiled(rules: Sequence[tuple[str, Action]]) -> tuple[tuple[re.Pattern[str], Action], ...]:
    return tuple((re.compile(pattern), action) for pattern, action in rules)


_RULES = _compiled(_ENGLISH)
_CHINESE_RULES = _compiled([rule for pattern, action in _ENGLISH for rule in _CHINESE_ONLY.get(pattern, ((pattern, action),))])
