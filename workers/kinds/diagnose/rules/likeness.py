"""When two wordings mean the same: normalised text, character trigrams, and whether a text reports an absence."""

import re
import unicodedata
from functools import cached_property, lru_cache

from workers.engines.denials import denies
from workers.engines.language import Lang, language_of

_NOT_WORD = re.compile(r"[\W_]+")
_ABSENCE_EN = re.compile(
    r"\b(?:no|not|none|never|without|isn['’]?t|aren['’]?t|wasn['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|haven['’]?t|hasn['’]?t|normal)\b",
    re.IGNORECASE,
)
_ABSENCE_ZH = re.compile(r"没有|没|不是|未见|未发现|未出现|不存在|并无|无异常|正常(?!运行时)")
_BUT_PRESENT = re.compile(r"abnormal|not normal|not only|no longer|不正常|不仅|无法|不能", re.IGNORECASE)


_WIDE = tuple((chr(ord(mark) + 0xFEE0), mark) for mark in ",:;()?!%")
_ASCII = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}

_NORMALISED = 4_096
_NORMALISED_CHARACTERS = 1_000
"""Texts that are kept normalised, for the same methods and lines come in turn after turn, and how long each is at most: some 1 MB
of 50 characters each, 17 MB if all were Chinese and as long as can be."""


def normalised(text: str) -> str:
    """Width, case, punctuation and spaces put aside: equal results are the same wording."""
    return _normalised(text) if len(text) <= _NORMALISED_CHARACTERS else _plain(_folded(text))


@lru_cache(_NORMALISED)
def _normalised(text: str) -> str:
    return _plain(_folded(text))


def _folded(text: str) -> str:
    """Width and case put aside. What is in normal form already is found to be so in a tenth of the time that it takes to
    bring it there, and most Chinese text is but for its punctuation."""
    if text.isascii():
        return text.lower()
    for wide, narrow in _WIDE:
        text = text.replace(wide, narrow)
    return unicodedata.normalize("NFKC", text).casefold()


def _plain(folded: str) -> str:
    """Punctuation and spaces put aside. ASCII has a way of its own, which takes a fifth of the time."""
    if folded.isascii():
        return " ".join(folded.translate(_ASCII).split())
    return _NOT_WORD.sub(" ", folded).strip()


def trigrams(plain: str) -> frozenset[str]:
    """Character trigrams of a normalised text; of a shorter one, the text itself. Empty text has none."""
    if len(plain) < 3:
        return frozenset({plain}) if plain else frozenset()
    return frozenset({plain[at : at + 3] for at in range(len(plain) - 2)})


def jaccard(left: frozenset[str], other: frozenset[str]) -> float:
    """Shared part of two sets, 0 to 1; 0 when both are empty."""
    shared = len(left & other)
    return shared / (len(left) + len(other) - shared) if shared else 0.0


def overlap(text: "Wording", plain: str, above: float = 0.0) -> float:
    """The Jaccard of a wording's trigrams and those of a normalised text; 0 when it is not above `above`. The text's trigrams
    are looked up and counted: a set of them would not pay off for one comparison."""
    if len(text.plain) < 3 or len(plain) < 3:
        found = jaccard(text.grams, trigrams(plain))
        return found if found > above else 0.0
    shared = sum(map(plain.__contains__, text.grams))
    if shared <= above * len(text.grams):
        return 0.0
    found = shared / (len(text.grams) + len(set(zip(plain, plain[1:], plain[2:], strict=False))) - shared)
    return found if found > above else 0.0


_WORD = re.compile(r"[a-z_][a-z0-9_]*|[0-9]+(?:\.[0-9]+)?")
_EMPTY_WORDS = frozenset(
    """a an the of on in at to by for with from is are was were be been being it its this that these those there and or as has
    have had do does very quite rather seen shown observed shows show can could may some any all one which into than then s
    """.split()  # noqa: SIM905 a list of words reads best as words
)


def _stems(folded: str) -> frozenset[str]:
    """Latin words and figures that carry meaning, without a plural's s and by their first four letters: another form of a
    word is the same word."""
    return frozenset([word.removesuffix("s")[:4] for word in _WORD.findall(folded) if word not in _EMPTY_WORDS])


_LATIN = re.compile(r"[a-z_]{3,}|[0-9]+(?:\.[0-9]+)?")

_MORE = re.compile(
    r"\b(?:high\w*|above|over|more|most|exceed\w*|ris\w*|grow\w*|increas\w*|larger?|great\w*|long\w*|fast\w*|many|up)\b"
    r"|>|高|上升|升高|超过|增[加长大多]|大于|多于|大量|激增|上涨",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:low\w*|below|under|less|least|fewer|few|drop\w*|fall\w*|fell|decreas\w*|small\w*|short\w*|slow\w*|down|little)\b"
    r"|<|低|下降|降低|减少|小于|少于|不足|不到|相差不|不超过",
    re.IGNORECASE,
)


def states_absence(text: str) -> bool:
    """Whether a text says that something is not there: "no deadlocks", "没有死锁", "CPU is normal"."""
    text = _BUT_PRESENT.sub(" ", text)
    return bool(_ABSENCE_EN.search(text) or _ABSENCE_ZH.search(text))


class Wording:
    """A text prepared for comparison."""

    def __init__(self, text: str) -> None:
        folded = _folded(text)
        self.text = text
        self.plain = _plain(folded)
        self.stems = _stems(folded)
        """What two wordings have in common when neither says a word that the other does not."""
        self.language: Lang = language_of(text)

    @cached_property
    def grams(self) -> frozenset[str]:
        """Its trigrams."""
        return trigrams(self.plain)

    @cached_property
    def names(self) -> frozenset[str]:
        """The stems that are no figures."""
        figures = {stem for stem in self.stems if stem[0].isdigit()}
        return self.stems - figures if figures else self.stems

    @cached_property
    def marks(self) -> frozenset[str]:
        """Names and figures that stay the same in another language."""
        return frozenset(_LATIN.findall(self.text.lower()))

    @cached_property
    def lacks_subject(self) -> bool:
        """Whether it begins with the denial of a verb, so that nobody knows what it is about: "does not fall", 不会下降."""
        if self.language == "zh":
            return denies(self.plain[:1]) and denies(self.plain[:2])
        first, second = (*self.plain.split()[:2], "", "")[:2]
        return first in _EMPTY_WORDS and denies(second)

    @cached_property
    def points(self) -> tuple[bool, bool]:
        """Whether it speaks of more, and of less."""
        return bool(_MORE.search(self.text)), bool(_LESS.search(self.text))

    @cached_property
    def absent(self) -> bool:
        """Whether it says that something is not there."""
        return states_absence(self.text)

    def turns(self, other: "Wording") -> bool:
        """Whether both speak of a direction, and of different ones: "above 90 %", "below 20 %"."""
        mine, theirs = self.points, other.points
        return mine != theirs and (True in mine) and (True in theirs)

    def contradicts(self, other: "Wording") -> bool:
        """Whether a near-equal text says the opposite: another direction, or "is set" against "is not set"."""
        return self.absent != other.absent or self.turns(other)

    def asks_the_same(self, other: "Wording", bar: float) -> bool:
        """Whether one is a rephrasing of the other: trigrams overlap to `bar` (Jaccard), neither says the opposite, and
        they do not name two different things ("wait event tuple", "wait event transactionid"). Figures may differ."""
        if self.plain != other.plain:
            if not (self.names <= other.names or other.names <= self.names):  # first: most pairs end here, without trigrams
                return False
            if not self._overlaps(other, bar):
                return False
        return not self.contradicts(other)

    def _overlaps(self, other: "Wording", bar: float) -> bool:
        """Whether the trigrams overlap to `bar`; two sets of very different sizes cannot, and are not intersected."""
        mine, theirs = self.grams, other.grams
        return bar * len(mine) <= len(theirs) and bar * len(theirs) <= len(mine) and jaccard(mine, theirs) >= bar

    def share_in(self, other: "Wording") -> float:
        """The share of this text's trigrams that occur in the other; 0 if a name or figure of it does not occur there."""
        if not self.stems <= other.stems or not self.grams:
            return 0.0
        return len(self.grams & other.grams) / len(self.grams)

    def looks_again(self, other: "Wording", bar: float, passage: int) -> bool:
        """Whether both are passages of at least `passage` trigrams, and most of one is contained in the other: the same log, another
        line of it."""
        if min(len(self.plain), len(other.plain)) < passage:  # a text has no more trigrams than characters
            return False
        least = min(len(self.grams), len(other.grams))
        return least >= passage and len(self.grams & other.grams) >= bar * least

    def is_same(self, other: "Wording", bar: float) -> bool:
        """Whether both say one thing, so that an answer to one answers the other: all names and figures agree too."""
        if self.plain != other.plain and (self.stems != other.stems or not self._overlaps(other, bar)):
            return False
        return not self.contradicts(other)


_KEPT = 6_144
_KEPT_CHARACTERS = 300
"""Some 11 MB for phenomena of 50 characters."""


def wording(text: str) -> Wording:
    """The text prepared for comparison; the same phenomena come in turn after turn, so those used last are kept."""
    return _kept(text) if len(text) <= _KEPT_CHARACTERS else Wording(text)


@lru_cache(_KEPT)
def _kept(text: str) -> Wording:
    return Wording(text)


def says_in_its_words(text: str, phenomenon: str) -> bool:
    """Whether a text is that of a phenomenon, but for case, width and the mark at its end."""
    return normalised(text.strip(" .。!！;；")) == wording(phenomenon.strip(" .。!！;；")).plain
