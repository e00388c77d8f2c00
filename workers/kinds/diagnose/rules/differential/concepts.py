"""What two texts have in common beyond their words: "the volume ran full", "no space left on device" and 磁盘满 say one thing.

The vectors know some of this, least of all in short texts and between languages. The concepts are in `concepts.txt`, one a line. What is
in no line counts as itself: an identifier, the name of an error, the beginning of any other word, a pair of Chinese characters.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

from workers.retrieval.tokens import tokens

_CONCEPTS = Path(__file__).with_name("concepts.txt")
_MOST_CHARACTERS = 4_000
_STEM = 5
"""Letters by which a word that is in no concept is known: its other forms begin the same."""
_CODE = 4
"""Digits from which a number is a code and not a quantity."""
_STATUS = frozenset(["401", "403", "404", "405", "408", "409", "413", "422", "429", "502", "503", "504", "507"])
"""States of HTTP that are no round figures."""
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_PART = re.compile(r"[a-z0-9]+\*?|[\u3400-\u9fff]|…")
_PREFIX = 3
"""Letters that the beginning of a word has at least, where it stands for all words that begin so."""
_GAP = "…"
_GAP_WORDS = 3
"""Words that a gap in a term stands for at most, a Chinese character being a word."""

_NOTHING = "-"
"""The concept of words that say nothing of what is wrong."""
_Term = tuple[tuple[str, ...], str]
"""The words of a term, a Chinese character being a word, and its concept."""


class _Terms(NamedTuple):
    """All terms."""

    by_words: Mapping[tuple[str, str], list[_Term]]
    """By their first word and the word behind it; empty: there is none, or it is open."""
    by_beginning: Mapping[tuple[str, str], list[_Term]]
    """Those whose first word is a beginning, by its first letters and the word behind it."""


class Concepts:
    """How alike a text is to each of others by their concepts, rare ones counting more."""

    def __init__(self, others: Sequence[str]) -> None:
        self._texts = others
        self._others = [concepts_of(other) for other in others]
        self._holders = Counter(concept for held in self._others for concept in held)
        self._lengths = [self._length(held) for held in self._others]

    def to(self, text: str) -> list[float]:
        """The cosine of the text to each of the others, 0 to 1. What no other text says makes it less alike to all."""
        asked = concepts_of(text)
        length = self._length(asked)
        if not length:
            return [0.0] * len(self._others)
        return [self._square(asked & held) / (length * own) if own else 0.0 for held, own in zip(self._others, self._lengths, strict=True)]

    def holding(self, text: str) -> list[float]:
        """The share of what the text says, rare concepts counting more, that each of the others says too, 0 to 1."""
        asked = concepts_of(text)
        whole = self._square(asked)
        return [self._square(asked & held) / whole if whole else 0.0 for held in self._others]

    def held_by(self, text: str) -> list[float]:
        """The share of what each of the others says that the text says too, each concept counting once, and none for a word within a
        longer term; 0 of one that says a single thing by a single word."""
        asked = concepts_of(text)
        return [len(held & asked) / len(held) if len(held) > 1 or of_words > 1 else 0.0 for held, of_words in map(_whole, self._texts)]

    def each_to_each(self) -> list[dict[int, float]]:
        """Of each of the texts, its cosine to each other one that has a concept in common with it, by its place."""
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for at, held in enumerate(self._others):
            for concept in sorted(held):
                holders[concept].append(at)
        found: list[dict[int, float]] = [{} for _ in self._others]
        for concept in sorted(holders):
            square = self._rarity(concept) ** 2
            for at, other in combinations(holders[concept], 2):
                found[at][other] = found[at].get(other, 0.0) + square / (self._lengths[at] * self._lengths[other])
        for at, row in enumerate(found):
            for other, cosine in row.items():
                if other > at:
                    found[other][at] = cosine
        return found

    def novelty(self, text: str) -> float:
        """The share of what the text says, rare concepts counting more, that none of the others says."""
        asked = concepts_of(text)
        whole = math.fsum(sorted(self._rarity(concept) for concept in asked))
        return math.fsum(sorted(self._rarity(concept) for concept in asked if concept not in self._holders)) / whole if whole else 0.0

    def _rarity(self, concept: str) -> float:
        return math.log((1 + len(self._others)) / (1 + self._holders[concept])) + 1

    def _length(self, held: frozenset[str]) -> float:
        return math.sqrt(self._square(held))

    def _square(self, held: frozenset[str]) -> float:
        """Their squared rarities, summed in an order that does not depend on the process."""
        return math.fsum(sorted(self._rarity(concept) ** 2 for concept in held))


@lru_cache(2_048)
def concepts_of(text: str) -> frozenset[str]:
    """The concepts that a text names, and what else it says."""
    plain = text[:_MOST_CHARACTERS].casefold()
    words = _WORD.findall(plain)
    found: set[str] = set()
    known: set[int] = set()
    for at in range(len(words)):
        for places, concept in _terms_at(words, at):
            found.add(concept)
            known.update(places)
    covered = {form for at in known for form in (words[at], *tokens(words[at]))}
    pairs = {left + right for at, (left, right) in enumerate(pairwise(words)) if not {at, at + 1} & known}
    for token in tokens(plain):
        if _CHINESE.search(token):
            if token in pairs:
                found.add(token)
        elif token not in covered and (not token.isdigit() or len(token) >= _CODE or token in _STATUS):
            found.add(token[:_STEM] if token.isalpha() else token)
    return frozenset(found - {_NOTHING})


@lru_cache(2_048)
def _whole(text: str) -> tuple[frozenset[str], int]:
    """The concepts of a text without those of words within a longer term ("no space left on device" is one thing), and how many
    words its longest term has."""
    words = _WORD.findall(text[:_MOST_CHARACTERS].casefold())
    spans = [(frozenset(places), concept) for at in range(len(words)) for places, concept in _terms_at(words, at)]
    holding = defaultdict[int, list[frozenset[int]]](list)
    for places, _ in spans:
        for place in places:
            holding[place].append(places)
    inner, outer = set[str](), set[str]()
    for places, concept in spans:  # a term that holds this one holds its first word
        (inner if any(places < others for others in holding[min(places)]) else outer).add(concept)
    return concepts_of(text) - (inner - outer), max((len(places) for places, _ in spans), default=0)


def _terms_at(words: Sequence[str], at: int) -> Iterator[tuple[list[int], str]]:
    """The terms that begin at a place: the places of the words of each, and its concept."""
    terms = _terms()
    first = words[at]
    for second in ("", *words[at + 1 : at + 2]):
        for term, concept in (*terms.by_words.get((first, second), ()), *terms.by_beginning.get((first[:_PREFIX], second), ())):
            if places := _places(words, at, term):
                yield places, concept


def _places(words: Sequence[str], at: int, term: tuple[str, ...]) -> list[int]:
    """Where the words of a term are in a text that it begins at; empty where it does not. After a gap the first word that fits is taken."""
    places: list[int] = []
    reach = 1
    for part in term:
        if part == _GAP:
            reach = 1 + _GAP_WORDS
            continue
        found = next((place for place in range(at, min(at + reach, len(words))) if _is(words[place], part)), None)
        if found is None:
            return []
        places.append(found)
        at, reach = found + 1, 1
    return places


def _is(word: str, part: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part


@lru_cache(1)
def _terms() -> _Terms:
    by_words: defaultdict[tuple[str, str], list[_Term]] = defaultdict(list)
    by_beginning: defaultdict[tuple[str, str], list[_Term]] = defaultdict(list)
    for line in _CONCEPTS.read_text(encoding="utf-8").splitlines():
        name, colon, both = line.partition(":")
        if colon and not line.startswith("#"):
            for text in re.split(r"[,|]", both):
                if term := tuple(_PART.findall(text.casefold())):
                    second = "" if len(term) == 1 or term[1] == _GAP or term[1].endswith("*") else term[1]
                    if term[0].endswith("*"):
                        by_beginning[term[0][:_PREFIX], second].append((term, name))
                    else:
                        by_words[term[0], second].append((term, name))
    return _Terms(by_words, by_beginning)
