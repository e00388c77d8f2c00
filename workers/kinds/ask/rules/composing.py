"""A follow-up as a whole question: the ways in which its words may change the question before it, the likeliest first.

Each way is a text that the reader of questions reads like any other; one that does not make sense leaves words without a place.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from contracts.ask.steps import Understanding
from workers.engines.questions.items import Item, Kind
from workers.kinds.ask.rules.core import core_of
from workers.kinds.ask.rules.corrections import corrected
from workers.kinds.ask.rules.cues import Cue, cues_in
from workers.kinds.ask.rules.formulas import without_definitions
from workers.kinds.ask.rules.plan_edits import Edit, edits_in
from workers.kinds.ask.rules.vague import rank_in

_IGNORE = re.IGNORECASE

_OPENING = re.compile(
    r"^(?:\W|\b(?:and|now|then|also|but|or|ok(?:ay)?|fine|great|good|thanks|yes|no|well|so|please|just|only|instead|what about|how about|"
    r"actually|sorry|(?:the )?same(?: (?:but|thing))?|again|show (?:it|me|that|this|them)|do (?:it|that)|make (?:it|that)|give me|"
    r"i mean|i meant|"
    r"break (?:it|this|that|them) down|drill (?:it )?down|"
    r"split (?:it|this|that|them)|group (?:it|this|that|them)|sort (?:it|this|that|them)|by that i mean)\b"
    r"|(?:那么|那就|那|再|还有|然后|另外|(?:看|查|算)(?=[各每按]|一?共)"
    r"|只看|只要|仅看|(?:只|仅)(?:算|统计|查)|换成|改成|改为|改|好的?|嗯|我说的是|我指的是|我是说|我要的是|我想要的是|不对|错了|也就是|请|麻烦|看一下|查一下|看看|按照|其中))+",
    _IGNORE,
)
"""Words that begin a follow-up and say nothing of the data."""

_ENDING = re.compile(
    r"(?:\b(?:instead|too|as well|please|now|ones|only)\b"
    r"|(?:来看|再?拆开看?|拆分|展开看?|细分|分别(?:是|有|为)?多少)|就(?:行|好|可以)|即可|呢|的|吧|一下|\W)+$",
    _IGNORE,
)

_STRONG = re.compile(
    r"\b(?:only|just|also|ones|instead|same|break|drill|split|group|sort|what about|how about)\b"
    r"|^\W*(?:and|now|or|but|by|per|for|in|with|without|excluding)\b"
    r"|^\W*(?:再|只看|只要|换成|改成|改为|按|其中|还有)|呢"
    r"|^\W*(?:what (?:is|are|was|were) |how (?:high|large|long|old|much) is )?(?:its|his|her)\b|^\W*(?:那|那么)?[它他她]的",
    _IGNORE,
)
"""The words change the question before them; a question of its own rarely begins so."""

_CJK = re.compile(r"[\u3400-\u9fff]")

_OVER_ALL = re.compile(r"\b(?:over|across|for|in) all (?:the )?\w+\b|\boverall\b|不分\w+|所有\w+", _IGNORE)
"""No longer by this, no longer filtered by this."""


class Linked(Protocol):
    """What the words of a text mean in the schema."""

    def items(self, text: str) -> list[Item]:
        """Its parts, with their places in it."""
        ...

    def spelled(self, text: str) -> str:
        """The text with its values as the data have them."""
        ...


_CHANGE = re.compile(
    r"^\W*(?:please\s+)?(?:delete|remove|drop|erase|purge|wipe|truncate)\s+(?:all\s+)?|^把|(?:全部|都|全)?(?:删除|删掉|删了|清空|清除|移除)(?:掉|吧)?",
    _IGNORE,
)
"""The order to change data, around what it is about: a refused order is followed by questions about the same rows."""


@dataclass(frozen=True, slots=True)
class Composition:
    """A text to read, and changes of the plan that it becomes."""

    text: str
    edits: tuple[Edit, ...] = ()


def compositions(understanding: Understanding, linked: Linked) -> list[Composition]:
    """What to read, each once."""
    words = "\n".join(core_of(without_definitions(part)) for part in understanding.words.split("\n"))
    parts = [part for part in words.split("\n") if part.strip()]
    found: list[Composition] = []
    if len(parts) > 1:  # the user's replies to our questions are the lines behind the first
        reply = core_of(parts[-1])
        found += [Composition(alone)] if (alone := _whole(reply, linked)) else []
        found += [*_with_edits(core_of(parts[0]), parts[-1], linked), *([] if _is_bare(reply, linked) else [Composition(reply)])]
    before = understanding.carried.question if understanding.is_follow_up and understanding.carried else ""
    if before:
        subject = _CHANGE.sub("", core_of(before))
        changed = list(_with_edits(subject, core_of(parts[-1]), linked, understanding.words.split("\n")[-1]))
        alone = _whole(words, linked)  # `改成各城市的兽医人数` says all that there is to say
        whole = [] if _is_bare(words, linked) else [*([Composition(alone)] if alone else []), Composition(words)]
        found += [*changed, *whole] if _STRONG.search(words) else [*whole, *changed]
    else:
        found.append(Composition(words))
    return [composition for composition in dict.fromkeys(found) if composition.text.strip()] or [Composition(words)]


def spoken_of(words: str) -> str:
    """The last line of a message without the words that open and end a follow-up: `month` of "and by month?" keeps its `by`."""
    return _ENDING.sub("", _OPENING.sub("", words.rpartition("\n")[2])).strip()


def _whole(words: str, linked: Linked) -> str:
    """The words without those that open and end a follow-up, where they say on their own what is measured and of what: they are a question
    rather than a change of another. Empty: they are not."""
    rest = _ENDING.sub("", _OPENING.sub("", words)).strip()
    kinds = {item.kind for item in linked.items(rest)} if rest else set[Kind]()
    measures = kinds & {Kind.COUNT, Kind.AGGREGATE, Kind.METRIC, Kind.RATIO}
    return rest if measures and Kind.TABLE in kinds | _about(kinds) and not _RANKED.match(rest) else ""


def _about(kinds: set[Kind]) -> set[Kind]:
    """A measured column that is grouped needs no table beside it."""
    return {Kind.TABLE} if Kind.COLUMN in kinds and kinds & {Kind.EACH, Kind.BY} else set[Kind]()


def _with_edits(before: str, words: str, linked: Linked, spoken: str = "") -> Iterator[Composition]:
    """The changed question, its bounds and orders first as words, then as changes of its plan. `spoken`: the words as the user said them,
    with "highest first" at their end."""
    for text in _changed(before, words, linked):
        yield Composition(text)
    rest, edits = edits_in(words)
    rest, edits = (rest, edits) if edits or not spoken else edits_in(spoken)
    if edits and rest:
        for text in _changed(before, rest, linked):
            yield Composition(text, tuple(edits))
    if edits and (not spoken_of(rest) or _BY_IT.fullmatch(" ".join(rest.split()))):
        yield Composition(before, tuple(edits))


_OF_A_TABLE = re.compile(r"\s*表(?:里面?|中)的?\s*|的?记录\s*$")
"""`sales 表里`, `的记录`: the rows of a table, said around."""


_BY_IT = re.compile(
    r"\W*(?:and|now|then|please|only|just)?\s*(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?)?\s*(?:it|them|this)?\s*(?:by)?\s*(?:it|that|the)?\s*"
    r"(?:number|count|total|amount|value|figure|result)?\W*|\W*(?:再|请|并)?(?:按|以)?(?:数量|个数|总数|金额|总额|结果|数值|它)?(?:排序|排列|排)?\W*",
    _IGNORE,
)
"""An order by the figure of the result."""

_COUNT_ONLY = re.compile(
    r"\W*(?:so |then |and )*(?:just )?(?:count (?:them|those|these|it)|how many(?: (?:are|were) (?:there|they|these"
    r"|those|that)| is that| (?:of them|rows|records|entries))*"
    r"(?: (?:in total|altogether|in all|then))?)\W*|\W*(?:那|就|查|看|数|算|一下|请|给我)*(?:一共|总共|共|到底|大概)?(?:有)?(?:多少|几)(?:条"  # noqa: E501 a pattern
    r"|个|行|笔|家|名|位|件|次)?(?:记录|数据)?(?:呢|啊|吗)?\W*",
    _IGNORE,
)
"""How many of them: nothing is said of what is counted."""

_RANKED = re.compile(r"^(?:by|per|according to|in terms of|based on|按照?|根据|以|看)\s*(?:the\s+)?", _IGNORE)


def _changed(before: str, words: str, linked: Linked) -> Iterator[str]:
    """The question before, with its values or its grouping replaced by those of the words, or with the words added."""
    base = _OF_A_TABLE.sub(" ", before.rstrip(" ?？。.!！").replace("\n", " ")).strip()
    if (right := corrected(base, words)) is not None:
        yield right
    if _COUNT_ONLY.fullmatch(words):
        yield f"有多少 {base}" if _CJK.search(words) else f"how many {base}"
    rest = _OVER_ALL.sub(" ", _ENDING.sub("", _OPENING.sub("", words))).strip()
    if not rest:
        return
    if (pointed := _ANAPHOR.sub(lambda _: base, rest, count=1)) != rest:
        yield pointed
    base, rest = linked.spelled(base), linked.spelled(rest)
    old, new = linked.items(base), linked.items(rest)
    if (owned := _of_what_was_named(old, rest)) is not None:
        yield owned
    yield from _measured(base, old, rest)
    if (swapped := _swapped(base, old, words, new)) is not None:
        yield swapped
    for changed in (_reranked(base, old, rest, new), _ranked_by(base, old, rest, new), _retimed(base, old, rest, new)):
        if changed is not None:
            yield changed
    if not _ADDS.search(words):
        yield from _remeasured(base, old, rest, new)
    free = _without_values(base, old, new)
    if free != base:
        yield f"{_ungrouped(free, linked.items(free))} {rest}"
    measures = any(item.kind in (Kind.COUNT, Kind.AGGREGATE, Kind.METRIC) for item in new)  # they keep the groups
    narrows = _NARROWS.search(words) and any(item.kind is Kind.VALUE for item in new)
    if narrows:
        yield f"{base} {rest}"
    if (Cue.RESULT in cues_in(rest) and not measures) or any(item.kind in (Kind.EACH, Kind.BY, Kind.GROUP) for item in new):
        yield f"{_ungrouped(base, old)} {rest}"
    yield from _remeasured(base, old, rest, new)
    yield f"{base} {rest}"


_NARROWS = re.compile(r"^\W*(?:(?:and|but|now|ok(?:ay)?)\W+)*(?:only|just)\b|^\W*(?:那|再)?(?:只|仅)", _IGNORE)
"""The words leave rows out, and keep what is shown of the others."""

_ADDS = re.compile(r"\b(?:and|also|plus|add|as well|too|with)\b|加|还有|以及|和|同时|也", _IGNORE)
"""The words add to what is shown."""

_ANAPHOR = re.compile(
    r"\b(?:such|these|those)(?: (?:\w+s|ones|people|rows|records))?\b|\bthem\b|\bthey\b|(?:这样|这种|这些|那些|上述"
    r"|此类)的?(?:[\u3400-\u9fff]{1,3}(?=有|的|一共|总|共|按|中))?|[它他她]们",
    _IGNORE,
)
"""Words that stand for what the question before was about."""


_OWNED = re.compile(r"\b(?:its|his|her)\b(?: own)?|[它他她]的", _IGNORE)


def _of_what_was_named(old: Sequence[Item], rest: str) -> str | None:
    """`what is its rent` behind words that name one thing: `what is rent of Skyline`."""
    named = [item for item in old if item.kind is Kind.VALUE]
    if len(named) != 1 or not _OWNED.search(rest):
        return None
    words = _OWNED.sub(" ", rest).strip()
    return f"{named[0].text}的{words}" if _CJK.search(words) else f"{words} of {named[0].text}"


def _reranked(base: str, old: Sequence[Item], rest: str, new: Sequence[Item]) -> str | None:
    """`the smallest area` in the place of `the largest population`."""
    mine = next((item for item in new if item.kind is Kind.MOST), None)
    its = next((place for place, item in enumerate(old) if item.kind is Kind.MOST), None)
    if mine is None or its is None or any(item.kind in (Kind.EACH, Kind.BY, Kind.TABLE) for item in new):
        return None
    around = [old[its]]
    around += [old[its + 1]] if its + 1 < len(old) and old[its + 1].kind is Kind.COLUMN else []
    around += [old[its - 1]] if its and len(around) == 1 and old[its - 1].kind is Kind.COLUMN else []
    begin, stop = min(item.begin for item in around), max(item.stop for item in around)
    return f"{base[:begin]}{rest}{base[stop:]}"


def _remeasured(base: str, old: Sequence[Item], rest: str, new: Sequence[Item]) -> Iterator[str]:
    """`average rating` in the place of `how many restaurants`: another measure over the same groups and rows."""
    if not any(item.kind in (Kind.COUNT, Kind.AGGREGATE, Kind.METRIC) for item in new) or any(
        item.kind in (Kind.EACH, Kind.BY) for item in new
    ):
        return
    places = [place for place, item in enumerate(old) if item.kind in (Kind.COUNT, Kind.AGGREGATE, Kind.METRIC)]
    if len(places) != 1:
        return
    place, chinese = places[0], bool(_CJK.search(base))
    is_behind = chinese and place > 0 and not _HOW_MANY.search(old[place].text)
    side = [old[place - 1]] if is_behind else old[place + 1 : place + 2]
    for more in (side, []):
        parts = [old[place], *(item for item in more if item.kind in (Kind.TABLE, Kind.COLUMN))]
        begin, stop = min(item.begin for item in parts), max(item.stop for item in parts)
        left = f"{base[:begin].rstrip()} {base[stop:].lstrip()}".strip()
        yield f"{base[:begin]}{rest}{base[stop:]}" if chinese else f"{rest} {left}"


_HOW_MANY = re.compile("多少|几")
"""What is counted comes behind these words, and before others such as 的数量."""

_MEASURES = (Kind.COUNT, Kind.AGGREGATE, Kind.METRIC, Kind.COLUMN, Kind.TABLE)


def _ranked_by(base: str, old: Sequence[Item], rest: str, new: Sequence[Item]) -> str | None:
    """`by energy` in the place of what the question before ranks by: `the 5 drivers with the most orders`, `充电次数最多的5位车主`."""
    measure = _RANKED.sub("", rest)
    its = next((place for place, item in enumerate(old) if item.kind in (Kind.MOST, Kind.TOP)), None)
    is_measure = all(item.kind in (*_MEASURES, Kind.BY, Kind.STOP) for item in new)
    if its is None or measure == rest or not measure or not is_measure:
        return None
    by = next((place for place in range(its, len(old)) if old[place].kind is Kind.BY), None)
    chinese = bool(_CJK.search(base))
    if by is not None:
        begin = by + 1
    elif chinese:
        begin = next((place for place in range(its, 0, -1) if old[place - 1].kind not in _MEASURES), 0)
    else:
        begin = its + 1
    stop = (
        its if chinese and by is None else next((place for place in range(begin, len(old)) if old[place].kind not in _MEASURES), len(old))
    )
    if begin >= stop:
        return None
    return f"{base[: old[begin].begin]}{measure}{base[old[stop - 1].stop :]}"


def _retimed(base: str, old: Sequence[Item], rest: str, new: Sequence[Item]) -> str | None:
    """`for April` in the place of `in March 2026`, where the words name a time and nothing else. The year before is counted from there."""
    its = [item for item in old if item.kind is Kind.TIME]
    if len(its) == 1 and _YEAR_BEFORE.fullmatch(rest) and (match := _YEAR.search(its[0].text)):
        return f"{base[: its[0].begin]}{its[0].text.replace(match[0], str(int(match[0]) - 1))}{base[its[0].stop :]}"
    times = [item for item in new if item.kind is Kind.TIME]
    if len(times) != 1 or len(its) != 1 or any(item.kind not in (Kind.TIME, Kind.STOP) for item in new):
        return None
    time = times[0].text
    year = _YEAR.search(its[0].text)
    if year and not _YEAR.search(time) and _MONTH.search(time):
        time = f"{year[0]}年{time}" if _CJK.search(time) else f"{time} {year[0]}"
    return f"{base[: its[0].begin]}{time}{base[its[0].stop :]}"


_YEAR_BEFORE = re.compile(r"(?:in |for )?the (?:year before|previous year|year earlier)(?: that)?|(?:前|上)一年|去年同期|上年同期", _IGNORE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*\b|[\d一二三四五六七八九十]+月|\bq[1-4]\b|[一二三四]季度", _IGNORE
)
"""A time that is a part of a year: the year of the time before it is meant."""


def _measured(base: str, old: Sequence[Item], rest: str) -> Iterator[str]:
    """A rank without a measure, and the measure: `number of transactions per customers` for "our best customers" and "by number of ..."."""
    tables = [item for item in old if item.kind is Kind.TABLE]
    has_measure = any(item.kind in (Kind.COUNT, Kind.AGGREGATE, Kind.METRIC, Kind.RATIO) for item in old)
    if len(tables) != 1 or has_measure or not _RANKED.match(rest):
        return
    measure = _RANKED.sub("", rest)
    if (rank := rank_in(base)) is not None:
        side, rows = rank
        conditions = " ".join(item.text for item in old if item.kind in (Kind.TIME, Kind.VALUE))
        if _CJK.search(measure):
            yield f"{conditions}{measure}{'最多' if side == 'top' else '最少'}的{rows}个{tables[0].text}"
        else:
            yield f"{side} {rows} {tables[0].text} by {measure} {conditions}".strip()
    yield f"每个{tables[0].text}的{measure}" if _CJK.search(measure) else f"{measure} per {tables[0].text}"


def _without_values(base: str, old: Sequence[Item], new: Sequence[Item]) -> str:
    """The question without its values of the columns by which the words group: grouped by food type, it is no longer about one type."""
    grouped = {
        (link.table, link.column)
        for item, follower in pairwise(new)
        if item.kind in (Kind.EACH, Kind.BY) and follower.kind in (Kind.COLUMN, Kind.TABLE)
        for link in follower.links
    }
    text = base
    for item in sorted(old, key=lambda item: -item.begin):
        if item.kind is Kind.VALUE and any((link.table, link.column) in grouped for link in item.links):
            text = f"{text[: item.begin].rstrip()} {text[item.stop :].lstrip()}"
    return text


def _swapped(base: str, old: Sequence[Item], words: str, new: Sequence[Item]) -> str | None:
    """`Italian` in the place of `Mexican`: values of the same column change places, when nothing else is said."""
    values = [item for item in new if item.kind is Kind.VALUE]
    if not values or any(item.kind not in (Kind.VALUE, Kind.STOP, Kind.TABLE, Kind.UNKNOWN, Kind.BY) for item in new):
        return None
    text = base
    for value in values:
        columns = {(link.table, link.column) for link in value.links}
        places = [item for item in old if item.kind is Kind.VALUE and columns & {(link.table, link.column) for link in item.links}]
        if not places:
            return None
        if len(places) > 1 and len(values) == 1:  # a list: one more of them, or this one alone
            begin, stop = places[0].begin, places[-1].stop
            kept = f"{base[begin:stop]} {'和' if _CJK.search(base) else 'and'} {value.text}" if _ADDS.search(words) else value.text
            return f"{base[:begin]}{kept}{base[stop:]}"
        text = text.replace(places[0].text, value.text)
    return text


_NO_QUESTION = frozenset({Kind.VALUE, Kind.AND, Kind.OR, Kind.STOP, Kind.TIME, Kind.UNKNOWN, Kind.NUMBER})


def _is_bare(words: str, linked: Linked) -> bool:
    """Whether words name values and nothing else, such as `and camping`: they change a question and are none."""
    kinds = {item.kind for item in linked.items(words)}
    return Kind.VALUE in kinds and kinds <= _NO_QUESTION


def _ungrouped(base: str, items: Sequence[Item]) -> str:
    """The question without what it groups by, and without the values of its columns where the words say `over all`."""
    for number, item in enumerate(items):
        follower = items[number + 1] if number + 1 < len(items) else None
        if item.kind in (Kind.EACH, Kind.BY) and follower is not None and follower.kind in (Kind.COLUMN, Kind.TABLE, Kind.UNIT, Kind.TIME):
            return f"{base[: item.begin].rstrip()} {base[follower.stop :].lstrip()}".strip()
    return base
