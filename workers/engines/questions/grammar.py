"""How the parts of a question go together: patterns over their letters, tried in order, each replacing what it matches by what it means.

A part that no pattern takes up is left over, and a question with leftovers is not answered.
"""

import re
from collections.abc import Callable, Sequence

from workers.engines.questions import combining as parts
from workers.engines.questions import counting, happening, lists, ratios
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
    (r"CI#[&Y]#", parts.between),
    (r"C!?>[#1]", parts.compared),
    (r">C[#1](?![TC#U])", parts.compared),
    (r"(?<![ASNOBGJPRm>])(?P<x>C#)(?![TC#U])", happening.is_number),
    (r">[#1](?=C)(?!CM)C", parts.compared),
    (r">[#1]T", counting.having),
    (r"[HL]J#?T[H]?Z|J#?TH+Z", happening.last_time),
    (r"J#?TZ|JZ#?T", happening.latest_by),
    (r"S#?C|(?<=H)CS(?=\.?$)", happening.most_common),
    (r"AN?CGT", happening.average_per_own_row),
    (r"(?<=T)#C(?=H?$)|(?<=TH)#C$", happening.has_number),
    (r"C~|~C", parts.above_average),
    (r"CkV|C!kV", parts.valued),
    (r"VkC", parts.valued),
    (r"V(?P<n>[TC])(?:[&|]+V(?P=n))+", lists.repeated_noun),
    (r"(?P<n>[TC])V(?:[&|]+(?P=n)V)+", lists.repeated_noun),
    (r"[CF]!?V(?:[&|]+V)+", lists.column_list),
    (r"(?<!G)(?P<x>!?V(?:[&|]+V)+C)(?!V)", lists.column_list),
    (r"(?<!G)(?P<x>!?VC)(?!V)", parts.valued),
    (r"(?<!G)(?P<x>VC)(?=V)", parts.valued_before_a_value),
    (r"[CF]!?V", parts.valued),
    (r"!V[TC]", parts.without_some),
    (r"VkC", parts.valued),
    (r"Tw!?V|wV", parts.named),
    (r"TV|VT", parts.of_table),
    (r"(?<=T)BVT", parts.done_by),
    (r"b?!?V(?:[&|]+V)+", lists.value_list),
    (r"!?V", parts.value_part),
    (r"C!?0", parts.empty),
    (r"(?<!G)(?P<x>!C)(?![V>#0C])", parts.without_value),
    (r"[GB]W", parts.by_weekday),
    (r"W", parts.weekend),
    (r"!?F", parts.flag),
    (r"c(?:\|c)+", parts.alternatives),
    (r">[#1]c+T", counting.having),
    (r"!TM", parts.absent_in),
    (r"!T", parts.absent),
    (r"AU(?=[TCK])", parts.total_of_each_unit),
    (r"ATN|ANT", counting.total_count),
    (r"ANC", happening.average_number),
    (r"Nd?c*[TC]", counting.count),
    (r"(?<!S)Nd?c+(?![TCc])", counting.count_of_kind),
    (r"A[CK]", parts.aggregate),
    (r"ATC", parts.aggregate_of_own),
    (r"ATC?|Ac+T(?!C)", parts.summed),
    (r"R[CmK](?=[GB])", ratios.share_of_each),
    (r"RT(?=[GB][CTU]M?\.?$)", ratios.share_of_each),
    (r"U", parts.unit_group),
    (r"U(?=m)", parts.grouped),
    (r"R[mTc&]+Y[mTc]+", ratios.ratio),
    (r"R(?=C)CYC", ratios.ratio_of_columns),
    (r"R[mT][Tc]*c", ratios.part_of_all),
    (r"RcT(?![Tc])", ratios.part_of_all),
    (r"(?:^|(?<=\.))[HL]+[SJ]C", parts.extreme),
    (r"^SC(?![TC>V#])", parts.extreme_alone),
    (r"#S(?=TB[mCK])", parts.top_part),
    (r"S#T(?!B)", parts.superlative_of_several),
    (r"P#|S#(?=T)|#P", parts.top_part),
    (r"#J(?=T)T|J#?T", parts.latest),
    (r"OSCYS?", parts.from_best),
    (r"S[CTmK]|Sc+T", parts.superlative),
    (r"(?<=[TC])[TZ]S(?![TCKm#])", happening.most_done),
    (r"T[SJ]$", happening.superlative_behind),
    (r"K", parts.metric),
    (r"[CZ]M|MZ", parts.period),
    (r"Z(?:c|G[TC])+M", parts.period_behind),
    (r"!?Z", happening.happened),
    (r"(?<![GBN])TM", parts.period_near),
    (r"G[TCUF](?:&[TCUF])*(?![>V])", parts.grouped),
    (r"OB?[mCTUK](?:[&D]*[mCTUK])*D?|O?D", parts.ordered),
    (r"t[^.B]*B[mCK]", parts.topped),
    (r"t[^.]*BT$", parts.topped_by_number),
    (r"t[^.]*?t", parts.topped_by_superlative),
    (r"#[TC][^.]*?t", parts.numbered),
    (r"B[TCUF](?:&[TCUF])*", parts.grouped),
    (r"b(?!c|V)", parts.drop_part),
)

_CHINESE_ONLY = {
    r"(?<![ASNOBGJPRm>])(?P<x>C#)(?![TC#U])": ((r"(?<![ASNOBGJPRm>])(?P<x>C#)(?![#U])", happening.is_number),),
    r"[CZ]M|MZ": ((r"[CZ]M|M[CZ]", parts.period),),
    r"Nd?c*[TC]": (
        (r"ZN(?![TC])", happening.number_of_events),
        (r"G(?=N)", parts.drop_part),
        (r"Nd?c*[TC]", counting.count),
        (r"(?<!G)(?:TN|CN(?!c))", counting.count),  # 办公室有多少台打印机 does not count offices
        (r"TA", parts.summed_behind),
    ),
    r"R[mTc&]+Y[mTc]+": ((r"[mTc]+[&Y][mTc]+R", ratios.ratio_behind), (r"R[mTc&]+Y[mTc]+", ratios.ratio)),
    r"S#T(?!B)": (),
    r"!?V": ((r"TVS(?=\.?$)", happening.most_of_a_kind), (r"!?V", parts.value_part)),
    r"#J(?=T)T|J#?T": ((r"CJ#?T", happening.latest_by_column), (r"#J(?=T)T|J#?T", parts.latest)),
    r"P#|S#(?=T)|#P": (
        (r"(?<=[TC])[TZ]S(?![TCKm#P])", happening.most_done),
        (r"[mCKT]SP?#?[TC]?", parts.most_behind),
        (r"P#", parts.top_part),
        (r"ST", parts.superlative),
    ),
    r"R[CmK](?=[GB])": ((r"(?<=[GBTCUFc])[CmK]R$", ratios.share_of_each),),
    r"!TM": ((r"M!T", parts.absent_in),),
    r"AU(?=[TCK])": ((r"A(?P<x>CN)(?![TC])", counting.without_count), (r"AU(?=[TCK])", parts.total_of_each_unit)),
    r"A[CK]": ((r"A[CK]", parts.aggregate), (r"[CK]A", parts.aggregate)),
    r"(?<!S)Nd?c+(?![TCc])": ((r"Nd?c+(?![TCc])", counting.count_of_kind), (r"(?<!T)c+N(?![TC])", counting.count_of_kind)),
    r">[#1]T": (
        (r"(?<!G)T>[#1](?!c*T?$)|T>[#1]T", counting.having_behind),
        (r">[#1]T", counting.having),
        (r"T>[#1](?!T)", counting.having),
    ),
    r"R[mT][Tc]*c": ((r"(?:[mT][Tc]*c|c+T)[Tc]*R", ratios.part_of_all_behind), (r"R[mT][Tc]*c", ratios.part_of_all)),
    r"S[CTmK]": ((r"SC", parts.superlative),),
    r"B[TCUF](?:&[TCUF])*": ((r"BTC", parts.grouped_by_own), (r"B[TCUF](?:&[TCUF])*", parts.grouped)),
    r"VkC": ((r"C!?Vk", parts.valued), (r"VkC", parts.valued)),
    r"OB?[mCTUK](?:[&D]*[mCTUK])*D?|O?D": (
        (r"B[mCTUK](?:&[mCUK])*(?:O&?D?|&?D)|[mCK]O?D(?!.*[mCK])(?<=.)", parts.ordered),
        (r"O?DO?", parts.ordered),
    ),
    r"(?:^|(?<=\.))[HL]+[SJ]C": ((r"SCH", parts.extreme_behind),),
}
"""Patterns that Chinese has instead of an English one."""


def _compiled(rules: Sequence[tuple[str, Action]]) -> tuple[tuple[re.Pattern[str], Action], ...]:
    return tuple((re.compile(pattern), action) for pattern, action in rules)


_RULES = _compiled(_ENGLISH)
_CHINESE_RULES = _compiled([rule for pattern, action in _ENGLISH for rule in _CHINESE_ONLY.get(pattern, ((pattern, action),))])
