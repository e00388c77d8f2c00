"""What an answer takes back: "sorry, I was wrong before: the offset does move", "forget what I said about the replica", "2 was wrong"."""

import re
from collections.abc import Sequence

from contracts.diagnose.deliverables import Finding
from workers.kinds.diagnose.rules.answers.items import items_of
from workers.kinds.diagnose.rules.answers.manners import takes_back, without_taking_back
from workers.kinds.diagnose.rules.answers.sentences import read_sentence

_SENTENCE = re.compile(r"[^\n.!?。！？;；]+(?:[.](?!\s|$)[^\n.!?。！？;；]*)*[\n.!?。！？;；]*")
_FORGET = re.compile(
    r"\b(?:forget|ignore|disregard|take back|strike|never mind) (?:what|that|my|the|about|it\b)|\b(?:scrap|discard|drop) (?:what|"
    r"everything|all) i\b|\btake (?:that|it) back|收回|不算|作废|忽略我|当我没说",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"\b(?:forget|ignore|scrap|discard|drop|take back) (?:everything|all)(?: of it)? (?:that )?i\b"
    r"|(?:前面|之前|刚才)说的(?:全部|都)(?:不算|作废|收回)",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r"\s{0,9}[1-9][ :.)]{0,3}(?:yes|no|y|n|是|否|有|没有)\b[ ,，]{1,3}(?:but |and |btw |但)?", re.IGNORECASE)
"""An answer by number before the correction in one sentence: "2 yes, but I was wrong about ..."."""
_ITEM = r"(?:item |number |question |point |#|第)?"
_NUMBER_WAS_WRONG = re.compile(
    rf"\b{_ITEM}([1-9]) (?:was|is|were) (?:wrong|a mistake|incorrect|mistaken)"
    rf"|\b(?:wrong|mistaken) (?:about|on|with) {_ITEM}([1-9])(?![\w%]|[.:]\d)"
    r"|(?:第\s*([1-9一二三四五六])|([1-9]))\s*[项个条]?我?(?:说错|搞错|弄错|答错|错了)",
    re.IGNORECASE,
)
_CJK_DIGITS = "一二三四五六"
_TOLD = 0.25
"""Share of an item's words from which a correction speaks of it, also beside a number that means another."""


def split_corrections(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its sentences that correct earlier answers (positions kept), and these sentences."""
    found: list[str] = []

    def taken(match: re.Match[str]) -> str:
        if not (takes_back(match[0]) or _NUMBER_WAS_WRONG.search(match[0])):
            return match[0]
        answered = _ANSWERED.match(match[0])
        start = answered.end() if answered and takes_back(match[0][answered.end() :]) else 0
        found.append(match[0][start:].strip())
        return match[0][:start] + " " * (len(match[0]) - start)

    return _SENTENCE.sub(taken, text), tuple(found)


def wrong_numbers(text: str) -> tuple[int, ...]:
    """The numbers of the items that a correcting sentence calls wrong: "sorry, 2 was wrong"."""
    found = [next(filter(None, match.groups())) for match in _NUMBER_WAS_WRONG.finditer(text)]
    return tuple(dict.fromkeys(_CJK_DIGITS.index(each) + 1 if each in _CJK_DIGITS else int(each) for each in found))


def named_in_words(text: str, earlier: Sequence[str]) -> int | None:
    """The place (from 0) in `earlier` of the item that a sentence with a number names by its words: 「1说错了，统计信息是去年更新的」."""
    spoken = items_of(tuple(earlier)).spoken_of(without_taking_back(_NUMBER_WAS_WRONG.sub(" ", text))) if earlier else None
    return spoken[0] - 1 if spoken and spoken[1] >= _TOLD else None


def withdrawn(text: str, observations: Sequence[str]) -> set[str]:
    """The observations that a correcting sentence takes back: those that it speaks of, in words that the others do not have. "Forget
    everything I said" takes back all."""
    if _EVERYTHING.search(text):
        return set(observations)
    spoken = items_of(tuple(observations)).spoken_of(without_taking_back(_FORGET.sub(" ", text))) if observations else None
    return {observations[spoken[0] - 1]} if spoken else set()


def corrected(text: str, earlier: Sequence[str]) -> dict[int, Finding | None]:
    """What a correcting sentence says of the items asked earlier, by their place (from 0) in `earlier`. None: the opposite of what was
    said then ("2 was wrong"). UNKNOWN: it is withdrawn."""
    if not earlier:
        return {}
    if wrong := wrong_numbers(text):
        return {number - 1: None for number in wrong if number <= len(earlier)}
    items = items_of(tuple(earlier))
    if _FORGET.search(text):
        spoken = items.spoken_of(text)
        return {spoken[0] - 1: Finding.UNKNOWN} if spoken else {}
    rest = without_taking_back(text)
    claims = [(number, claim.finding) for claim in read_sentence(rest, items).claims for number in claim.numbers]
    if claims:
        return {number - 1: finding for number, finding in claims if finding is not None}
    spoken = items.spoken_of(rest)
    return {spoken[0] - 1: None} if spoken else {}
