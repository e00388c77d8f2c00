"""Sentences about the items: "queued yes, heartbeat fresh, no import errors", "2 is at 0 seconds", "堆内存正常，但是索引确实只读了".

A sentence is split into clauses. Each clause speaks of items (by number, by ordinal, by "the rest", by their own words) and goes
some way (`verdicts`), or gives a figure (`figures`). What is not plain stays unread: then the item is asked again, which costs less
than a wrong finding.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from contracts.diagnose.deliverables import Finding
from workers.kinds.diagnose.rules.answers.examples import beside
from workers.kinds.diagnose.rules.answers.figures import Dimension, Figure, against, figures_in, in_unit_of, quantified_otherwise, ratio_in
from workers.kinds.diagnose.rules.answers.items import Item, Items, words_of
from workers.kinds.diagnose.rules.answers.lifeless import is_lifeless, says_lifeless
from workers.kinds.diagnose.rules.answers.log_lines import log_lines
from workers.kinds.diagnose.rules.answers.manners import orders_us, refuses, takes_back
from workers.kinds.diagnose.rules.answers.verdicts import Says, Verdict, verdict_of

_PLAIN_SHARE = 0.45
"""Share of an item's words that a clause must have to confirm it by its content alone."""
_COUNTED_SHARE = 0.3
"""Share from which a clause with a count confirms: "search rejected 88213"."""
_THERE_ARE = re.compile(r"有\s*[0-9]|\bthere (?:is|are)\b|\bgot [0-9]", re.IGNORECASE)
_SHORT = 6
"""Words of a clause that names no item and is still read as the answer to a single one."""
_LARGE_SHARE = 0.75
"""Share from which a clause about something that was done still speaks of the item."""

_BREAK = re.compile(
    r"[,;，；、]\s*(?:but|and|while|whereas|however|so|then|但是?|而|不过|可是)?\s*|(?<!\s)\s+(?:but|while|whereas|though|although|"
    r"and)\s+(?:also\s+)?"
    r"|(?:(?<!\s)\s+)?(?:但是|不过|可是|只是)|\n+|[.!?。！？](?=\s|$)|(?<=[。！？])",
    re.IGNORECASE,
)
_NEXT = (
    r"(?=\s*(?:$|[,;:.)!?，；、：/&+-]|(?:and|or|nor|is|isn'?t|are|aren'?t|was|wasn'?t|not|yes|no|nope|has|hasn'?t|"
    r"does|doesn'?t|do|don'?t|did|didn'?t|can|can'?t|cannot|could|couldn'?t|looks?|seems?|holds?|happens?|also|"
    r"too|probably|definitely|certainly|maybe|unknown|unclear|true|false|fine|ok|okay|normal|zero|i|we|i'?ll|"
    r"at|never|still|has|would|should|might|may|both|applies|fails|gone|as|because|since|shows?|needs?)\b|"
    r"(?:[有没无是不好应可能异也都看查确的存已未断满锁崩挂停超高低我和与跟及或项个条]|"
    r"正(?!常值))|$))"
)
_NUMBER = re.compile(
    rf"(?<![\w.])(?:(?:items?|numbers?|questions?|points?|nr\.?|no\.|第|#)\s*)?([1-9])(?:st|nd|rd|th)?(?:\s*(?:-|"
    rf"–|to|到|至)\s*([1-9]))?(?:[项个条])?(?![0-9%])(?!\s*(?:%|percent|ms\b|s\b|sec|min|hours?\b|h\b|[kmgt]b\b|秒|"
    rf"分钟|小时|天|次))(?!\.[0-9]){_NEXT}",
    re.IGNORECASE,
)
_ORDINALS = ("first|第一", "second|第二", "third|第三", "fourth|第四", "fifth|第五")
_ORDINAL = [
    re.compile(
        rf"(?<!\ba )(?<!\bper )\b(?:the )?(?:{latin})\b(?! (?:time|of all|thing|glance))(?: (?:one|item|point|question))?|"
        rf"{cjk}[个项条点]?",
        re.IGNORECASE,
    )
    for latin, cjk in (pair.split("|") for pair in _ORDINALS)
]
_LAST = re.compile(r"\bthe last(?: (?:one|item|point))\b|\blast one\b|最后一?[个项条]", re.IGNORECASE)
_REST = re.compile(
    r"\b(?:the )?(?:rest|others?|other (?:one|ones|two|three|four|items?)|remaining(?: (?:one|ones|two|items?))?)\b(?! (?:node|"
    r"host|side|day|than|replica|cluster))"
    r"|(?:其[他它余]|别|另外?|剩下|余下)的?(?:[一两二三四]?[个项条])?(?:都|均|全)?",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:(?<!at )all(?: of them| of these| three| two| four| items)?|both(?: of them)?|everything|each of them|"
    r"either|any of (?:them|these)|them)\b(?! the| of the| other| (?:time|day|night|along|over))"
    r"|(?:全部|全都|所有|以上|两个|三个|这些|每个)(?:都|均)?|都",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:none|neither)\b(?: of (?:them|these|those|the (?:two|three|four|above|items))\b|(?=\s*(?:$|[,.])|"
    r" (?:is|are|holds?|applies)\b)|(?= (?:1|2|3)))|一个(?:也|都)没",
    re.IGNORECASE,
)


_ONLY_FIGURE = re.compile(
    r"\s*(?:it'?s|it is|about|around|roughly|only|just|now|currently|是|为|大约|约|才|只有|现在|目前)?\s*[:=]?\s*"
    r"[0-9][0-9.,]*\s*[^\s,;]{0,9}\s*(?:now|"
    r"only|at most|左右|了)?[.。!]?\s*",
    re.IGNORECASE,
)
_BARE_DIGIT = re.compile(r"\s*[2-9]\s*[.。!]?\s*")
"""It may be the number of an item that there is not: somebody counted from another list."""
_EVENT = re.compile(
    r"\b(?:re)?(?:start|boot|deploy|upgrad|migrat|install|patch|chang|switch|releas|roll)\w*ed\b|\b(?:since|"
    r"after) (?:the|a|an|our)\b|重启|升级|上线|变更|发布|迁移",
    re.IGNORECASE,
)
"""What somebody did, or when it began: a change, and no reading."""
_ERROR_TEXT = re.compile(r"\b\w*(?:Error|Exception|Warning|FATAL|ERROR)\b\s*:?[^\n]*")
_ENDS_IN_ITEM = re.compile(r"(?:^|[\s,、和与])[1-9]\s*$")
_BEGINS_WITH_ITEM = re.compile(r"\s*[1-9](?![0-9])")
_VALUE = re.compile(r"([A-Za-z][\w.]*)\s*[:= ]\s*([0-9][0-9.,]*\s?(?:%|[a-zA-Z]{0,7})?)(?![\w.])")
_PASTED = re.compile(r"\s*([A-Za-z]\w*(?:[_.]\w+|[a-z][A-Z]\w*))\s*[:=]")
"""The name of a value in pasted output."""


_ALL_BUT = re.compile(
    r"\W{0,5}(?:(?P<none>none(?: of (?:them|these|those|that))?|nothing)|(?:all|both|everything|every one)(?: of (?:them|these|"
    r"those|that))?)"
    r"(?: (?:is |are )?(?:yes|true|(?P<no>no|fine|normal|ok)))?,? (?:except(?: for)?|but|apart from|besides|"
    r"other than) (?P<item>[^.;,\n]{1,60})\W{0,5}",
    re.IGNORECASE,
)
_OVER_AGAIN = re.compile(
    r"\W{0,3}(?:it |they |has |have |then )?(?:cleared|recovered|went away|resolved|stopped|vanished|disappeared)"
    r"(?: itself)?(?: again| now| since| meanwhile| by itself| later| after \w+ \w+)?\W{0,3}$|\W{0,3}(?:后来|现在|"
    r"已经)?(?:又)?(?:恢复|好|"
    r"消失)了\W{0,3}$",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\W{0,3}(?:and )?(?:on|at|for|in) \S{1,40}(?: it'?s| is|:)? [0-9][0-9.,]* ?\S{0,8}\W{0,3}$", re.IGNORECASE)
_RAN = re.compile(
    r"^(?!.*\blast (?:backup|run|one|time)\b).*\b(?:ran|runs|has run|have run|finished|succeeded|completed|executed)\b"
    r"|(?:跑|执行|运行)[过了]",
    re.IGNORECASE,
)
_SEARCHED = re.compile(
    r"^\W{0,3}(?:i|we)?\s?(?:grepped|grep|searched|looked|queried|filtered|scanned) (?:for|through|in)\b|^\W{0,3}(?:我|"
    r"我们)?(?:搜|grep|查找|搜索)了?",
    re.IGNORECASE,
)
"""The words of a search, whose result comes in the next clause: "I grepped for 1040, 0 hits"."""
_UNTRUE = re.compile(r"^.{0,12}?\b(?:is ?n[o']t|is not|not|never) (?:true|the case|correct|right) that\b", re.IGNORECASE)
_THERE_IS = re.compile(r"^\W{0,3}(?:but |well |no |yes |oh ){0,2}there (?:is|was|were|are|has been|have been)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    """Items (from 1), and what a clause says of them."""

    numbers: tuple[int, ...]
    finding: Finding | None
    """None: it will be looked up later."""
    rest: bool = False
    """Of all items that nothing else in the answer speaks of."""
    everything: bool = False
    vague: bool = False
    """It names no item ("no access from here"): of all, where nothing else is said."""
    wording: str = ""
    """The clause, where it speaks of its item in the item's words and not by number."""


@dataclass
class Read:
    """What was read from a piece of text."""

    claims: list[Claim] = field(default_factory=list[Claim])
    left: list[str] = field(default_factory=list[str])
    """Clauses that speak of no item."""


@dataclass(frozen=True)
class _Subject:
    numbers: tuple[int, ...] = ()
    rest: bool = False
    everything: bool = False
    none: bool = False
    by_words: bool = False
    share: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.numbers or self.rest or self.everything)


def read_figures(text: str, items: Items) -> Read:
    """A reply to one item that is nothing but a figure: "37", "0", "about 40 %"."""
    only = _ONLY_FIGURE.fullmatch(text)
    figures = figures_in(text) if only else []
    finding = against(in_unit_of(figures, items.each[0].threshold), items.each[0].threshold)
    if items.each[0].threshold is None:
        measures = figures_in(items.each[0].text) or not _BARE_DIGIT.fullmatch(text)
        finding = beside(figures, items.each[0].text) if measures else None
    return Read([Claim((1,), finding)] if finding else [])


def read_sentence(text: str, items: Items) -> Read:
    """The claims of a piece of prose, and the clauses that make no claim. Orders to us, small talk and what takes an earlier answer
    back are neither."""
    if takes_back(text) or orders_us(text) or refuses(text):
        return Read()
    if (excepted := _all_but(text, items)) is not None:
        return excepted
    read = Read()
    waiting: tuple[_Subject, str] | None = None
    """A subject whose verdict comes in the next clause: "the replica is right behind the source, 1 second or so"."""
    for clause in _clauses(text):
        subject, wording = _subject_of(clause, items)
        if not subject and waiting is not None:
            subject = waiting[0]
        elif waiting is not None:
            joined = _joined(waiting[0], subject)
            if joined is None:
                read.left.append(waiting[1])
            else:
                subject = joined
        waiting = None
        if not subject and (goes_on := _going_on(clause, read.claims, items)) is not None:
            read.claims.append(goes_on)
            continue
        found = _claims(clause, wording, subject, items)
        if found is None:
            if subject:
                waiting = (subject, clause)
            else:
                read.left.append(clause)
        else:
            read.claims += [claim for claim in found if not _weaker(claim, read.claims, clause, items)]
    if waiting is not None:
        read.left.append(waiting[1])
    return read


def _going_on(clause: str, before: list[Claim], items: Items) -> Claim | None:
    """A clause that goes on about the item of the clause before: "... and cleared again", "disk on es-1 is 60, on es-2 93 %"."""
    if not before or not before[-1].wording or len(before[-1].numbers) != 1:
        return None
    numbers = before[-1].numbers
    if _OVER_AGAIN.match(clause) is not None:
        return Claim(numbers, Finding.DENIED, wording=clause)
    confirms = _ELSEWHERE.match(clause) and against(figures_in(clause), items.each[numbers[0] - 1].threshold) is Finding.CONFIRMED
    return Claim(numbers, Finding.CONFIRMED, wording=clause) if confirms else None


def _all_but(text: str, items: Items) -> Read | None:
    """ "All of them except the alarm", "nothing but the disk": the exception by its words."""
    match = _ALL_BUT.fullmatch(text)
    excepted = items.spoken_of(match["item"]) if match else None
    if match is None or excepted is None:
        return None
    all_of_them, that = (Finding.DENIED, Finding.CONFIRMED) if match["none"] or match["no"] else (Finding.CONFIRMED, Finding.DENIED)
    return Read([Claim((), all_of_them, everything=True), Claim((excepted[0],), that)])


def _weaker(claim: Claim, before: list[Claim], clause: str, items: Items) -> bool:
    """Whether a row of pasted output denies what a row before it has shown: one partition that lags is enough."""
    if claim.finding is not Finding.DENIED or len(claim.numbers) != 1:
        return False
    item = items.each[claim.numbers[0] - 1]
    shown = any(other.numbers == claim.numbers and other.finding is Finding.CONFIRMED for other in before)
    return shown and item.threshold is not None and bool(figures_in(clause)) and verdict_of(clause).says is Says.NOTHING


def _clauses(text: str) -> Iterator[str]:
    at = 0
    for match in _BREAK.finditer(text):
        piece = text[at : match.start()]
        # "1, 2 and 3" and "1,200" are not broken
        if _ENDS_IN_ITEM.search(piece[-12:]) and _BEGINS_WITH_ITEM.match(text, match.end()):
            continue
        if piece.strip():
            yield piece.strip()
        at = match.end()
    if text[at:].strip():
        yield text[at:].strip()


def _subject_of(clause: str, items: Items) -> tuple[_Subject, str]:
    """What a clause speaks of, and the clause without the words that name it."""
    if log_lines(clause):  # its numbers are its own
        spoken = items.spoken_of(clause)
        return (_Subject((spoken[0],), by_words=True, share=spoken[1]) if spoken else _Subject()), clause
    numbers: list[int] = []

    def taken(match: re.Match[str], found: list[int]) -> str:
        numbers.extend(found)
        return " "

    size = len(items.each)
    wording = (
        _NUMBER.sub(lambda m: taken(m, list(range(int(m[1]), int(m[2] or m[1]) + 1))), clause) if size > 1 or _lone(clause) else clause
    )
    for place, pattern in enumerate(_ORDINAL, start=1):
        wording = pattern.sub(lambda m, place=place: taken(m, [place]), wording)
    wording = _LAST.sub(lambda m: taken(m, [size]), wording)
    numbers = [number for number in dict.fromkeys(numbers) if number <= size]
    none = _NONE.search(wording) is not None
    if numbers:
        return _Subject(tuple(numbers), none=none), wording
    by_words = items.spoken_of(clause)
    if (
        by_words is not None
        and (pasted := _PASTED.match(clause))
        and not (items.has_name(by_words[0], pasted[1]) or _counts(items.each[by_words[0] - 1], clause))
    ):
        return _Subject(), ""
    by_words = by_words or items.state_of(clause)
    if by_words is not None and not _REST.search(clause):
        return _Subject((by_words[0],), by_words=True, share=by_words[1]), clause
    if _REST.search(wording):
        return _Subject(rest=True), _REST.sub(" ", wording)
    if none or _ALL.search(wording):
        return _Subject(everything=True, none=none), _ALL.sub(" ", wording)
    return _Subject(), wording


def _counts(item: Item, clause: str) -> bool:
    """Whether pasted output gives a figure that the item's threshold can be compared with."""
    return against(figures_in(clause), item.threshold) is not None


def _lone(clause: str) -> bool:
    return re.match(r"\s*1(?![0-9.%])", clause) is not None


def _joined(first: _Subject, second: _Subject) -> _Subject | None:
    """Two subjects of one verdict: "1, and the second too"."""
    if first.numbers and second.numbers and not first.by_words and not second.by_words:
        return _Subject(tuple(dict.fromkeys((*first.numbers, *second.numbers))))
    return None


def _claims(clause: str, wording: str, subject: _Subject, items: Items) -> list[Claim] | None:
    """What a clause says; None where it gives no verdict, and for a line of a log that names no item: who wrote it knows nothing of us."""
    if not subject and log_lines(clause):
        return None
    if subject.numbers:
        found = [_of_item(clause, wording, subject, items.each[number - 1]) for number in subject.numbers]
        if any(verdict is None for verdict in found):
            return None
        by_words = clause if subject.by_words else ""
        return [
            Claim((number,), verdict.finding, wording=by_words) for number, verdict in zip(subject.numbers, found, strict=True) if verdict
        ]
    if not subject and len(items.each) == 1:
        threshold = items.each[0].threshold
        finding = against(figures_in(wording), threshold)
        verdict = verdict_of(wording, threshold.direction if threshold else 0)
        if finding and not verdict.own_word:
            return [Claim((1,), finding)]
        if _THERE_IS.search(wording) and items.each[0].lapse and verdict.says is Says.HOLDS:
            return [Claim((1,), Finding.DENIED)]
        if verdict.finding and verdict.own_word and (len(wording.split()) <= _SHORT or verdict.says is Says.UNKNOWN):
            return [Claim((1,), verdict.finding)]
        return None
    verdict = verdict_of(wording)
    if subject.none:
        return [Claim((), Finding.DENIED, everything=True)]
    if not subject:
        if verdict.says is Says.UNKNOWN:
            return [Claim((), Finding.UNKNOWN, vague=True)]
        return [Claim((), None)] if verdict.says is Says.LATER else None
    if not verdict.own_word and not (verdict.says is Says.FAILS and len(wording.split()) <= 3):
        return None
    return [Claim((), verdict.finding, rest=subject.rest, everything=subject.everything)]


def _of_item(clause: str, wording: str, subject: _Subject, item: Item) -> Verdict | None:
    """How a clause goes for one item that it speaks of."""
    if subject.none:
        return Verdict(Says.FAILS, own_word=True)
    if subject.by_words and _SEARCHED.match(clause) and verdict_of(clause).says in (Says.NOTHING, Says.HOLDS):
        return None
    if subject.by_words and (untrue := _UNTRUE.match(clause)):
        inner = _of_item(clause[untrue.end() :], clause[untrue.end() :], subject, item)
        turned = {Says.HOLDS: Says.FAILS, Says.FAILS: Says.HOLDS}
        return Verdict(Says.FAILS if inner is None else turned.get(inner.says, inner.says), own_word=True)
    if subject.by_words and (state := item.state_in(clause)) is not None:
        return Verdict(Says.HOLDS if state else Says.FAILS, own_word=True)
    if subject.by_words and _EVENT.search(clause) and not _EVENT.search(item.text) and subject.share < _LARGE_SHARE:
        return None
    if subject.by_words and "error" in item.words and _ERROR_TEXT.search(wording):
        return Verdict(Says.HOLDS, own_word=False)
    if subject.by_words and item.threshold is None and is_lifeless(item.text) and says_lifeless(clause):
        return Verdict(Says.HOLDS, own_word=False)
    upward = item.threshold.direction if item.threshold else 0
    verdict = verdict_of(wording, upward or (1 if subject.by_words else 0))
    if verdict.says in (Says.LATER, Says.UNKNOWN):
        return verdict
    if quantified_otherwise(clause, item.text):
        return Verdict(Says.FAILS, own_word=True)
    counted = _by_figures(clause, wording, subject, item, verdict)
    if counted is None and subject.by_words and item.lapse and _RAN.search(clause) and verdict.says is not Says.FAILS:
        return Verdict(Says.FAILS, own_word=True)
    if counted is not None or verdict.own_word:
        return counted or verdict
    return _by_content(clause, subject, item, verdict)


def _by_figures(clause: str, wording: str, subject: _Subject, item: Item, verdict: Verdict) -> Verdict | None:
    """What the figures of a clause say of an item: against its threshold, or how many there are of what it names."""
    figures = _figures(wording, item)
    found = against(figures, item.threshold)
    if found is not None:
        return Verdict(Says.HOLDS if found is Finding.CONFIRMED else Says.FAILS, own_word=True)
    counts = [figure.value for figure in figures if figure.dimension in (None, Dimension.COUNT)]
    if item.threshold is not None or not subject.by_words or not counts or log_lines(clause):
        return None
    if not any(counts):
        return Verdict(Says.FAILS, own_word=True)
    plain = subject.share >= _COUNTED_SHARE or _THERE_ARE.search(clause) is not None
    return Verdict(Says.HOLDS, own_word=False) if plain and verdict.says is Says.NOTHING else None


def _by_content(clause: str, subject: _Subject, item: Item, verdict: Verdict) -> Verdict | None:
    """How a clause goes that repeats the item or denies it, without a word for yes or no."""
    denies = _denies(item) and not item.repeated_in(clause)
    lapse = item.lapse and subject.by_words
    if lapse and subject.share >= _COUNTED_SHARE:
        return Verdict(Says.HOLDS if verdict.says is Says.FAILS else Says.FAILS, own_word=False)
    if subject.by_words and item.turned_round_in(clause):
        return Verdict(Says.FAILS if verdict.says is not Says.FAILS else Says.HOLDS, own_word=False)
    if verdict.says is Says.FAILS:
        return Verdict(Says.HOLDS, own_word=False) if denies and subject.by_words else verdict
    if not subject.by_words:
        if verdict.says is Says.NOTHING and item.repeats(clause):
            return Verdict(Says.HOLDS, own_word=False)
        return verdict if verdict.says is not Says.NOTHING else None
    if denies:
        return Verdict(Says.FAILS, own_word=False) if subject.share >= _PLAIN_SHARE else None
    if verdict.says is Says.HOLDS or subject.share >= _PLAIN_SHARE:
        return Verdict(Says.HOLDS, own_word=False) if item.threshold is None or verdict.says is Says.HOLDS else None
    return None


def _denies(item: Item) -> bool:
    """Whether the item itself says that something is missing or does not happen."""
    return (item.threshold is None and verdict_of(item.text).says is Says.FAILS) or "未分配" in item.text or "unassigned" in item.words


def _figures(wording: str, item: Item) -> list[Figure]:
    """The figures of a clause that are no part of the item's own names (error 1040); where a word of the item has a figure behind it
    ("LAG 884211"), that figure alone."""
    named = {word for word in item.words if word.isdigit() and (item.threshold is None or float(word) != item.threshold.value)}
    if item.threshold is not None and item.threshold.dimension is Dimension.SHARE and (ratio := ratio_in(wording)) is not None:
        return [ratio]
    behind = [figure for value in _VALUE.finditer(wording) if item.own & words_of(value[1]) for figure in figures_in(value[2])]
    return [figure for figure in behind or figures_in(wording) if f"{figure.value:g}" not in named]
