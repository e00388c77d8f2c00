"""Finds the terms and documents for a question, in either language, without a model.

A name in the question counts most, the longer the more; then the letter pairs (Chinese) and words (English) that question and entry share,
weighted by how rare they are.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from contracts.network import DesignDocument, DesignDocuments, Level, TermFound, Terms
from workers.engines.network.knowledge.reading import Entry

NAMED_WEIGHT = 1.0
"""A name in the question is worth this and more: an entry that is named comes before all that only share words."""

LEAST_SCORE = 0.05
"""Below it an entry has nothing but a common word with the question."""


@dataclass(frozen=True)
class Knowledge:
    """The terms and documents of a deployment."""

    terms: tuple[Entry, ...]
    documents: tuple[Entry, ...]

    @cached_property
    def term_index(self) -> "Index":
        """The terms, ready to be searched."""
        return Index(self.terms)

    @cached_property
    def document_index(self) -> "Index":
        """The documents, ready to be searched."""
        return Index(self.documents)


class Index:
    """Entries with the weights of their words."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._names = [tuple(_plain(name) for name in entry.names) for entry in entries]
        self._words = [Counter(_pieces(" ".join((*entry.names, *entry.text.values())))) for entry in entries]
        seen = Counter(word for words in self._words for word in words)
        self._rarity = {word: math.log((len(entries) + 1) / (count + 0.5)) for word, count in seen.items()}

    def search(self, query: str, limit: int) -> list[tuple[Entry, float]]:
        """The best entries with scores between 0 and 1, the best first."""
        plain, asked = _plain(query), set(_pieces(query))
        most = sum(self._rarity.get(word, 0.0) for word in asked) or 1.0
        scored: list[tuple[float, int]] = []
        for place, (names, words) in enumerate(zip(self._names, self._words, strict=True)):
            named = [len(_pieces(name)) for name in names if name and _holds(plain, name)]
            shared = sum(max(self._rarity[word], 0.0) for word in asked if word in words) / most
            score = shared + (NAMED_WEIGHT + 0.1 * sum(named) if named else 0.0)
            if score >= LEAST_SCORE:
                scored.append((score, place))
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        best = scored[0][0] if scored else 1.0
        return [(self.entries[place], min(score / max(best, 1.0), 1.0)) for score, place in scored[:limit]]


def find_terms(knowledge: Knowledge, query: str, limit: int, language: str) -> Terms:
    """The terms that a question is about."""
    return Terms(
        terms=tuple(
            TermFound(
                id=entry.id, term=entry.in_language(entry.title, language),
                synonyms=_others(entry, language),
                text=entry.in_language(entry.text, language), indicators=entry.indicators.get(Level.CELL, ()), score=round(score, 3),
            )
            for entry, score in knowledge.term_index.search(query, limit)
        )
    )  # fmt: skip


def find_documents(knowledge: Knowledge, query: str, limit: int, language: str) -> DesignDocuments:
    """How the problem in a question is analysed."""
    return DesignDocuments(
        documents=tuple(
            DesignDocument(
                id=entry.id, topic=entry.topic, title=entry.in_language(entry.title, language),
                text=entry.in_language(entry.text, language), levels=entry.levels, indicators=entry.indicators, score=round(score, 3),
            )
            for entry, score in knowledge.document_index.search(query, limit)
        )
    )  # fmt: skip


def _others(entry: Entry, language: str) -> tuple[str, ...]:
    shown = entry.in_language(entry.title, language)
    return tuple(name for name in entry.names if name != shown)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w%]+", " ", unicodedata.normalize("NFKC", text).casefold()).split())


def _holds(text: str, name: str) -> bool:
    """Whether a name is in the text; a Latin one as whole words, a plural `s` allowed."""
    if re.search(r"[\u4e00-\u9fff]", name):
        return name.replace(" ", "") in text.replace(" ", "")
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}s?(?![a-z0-9])", text) is not None


def _pieces(text: str) -> list[str]:
    """English words without plural endings, and pairs of Chinese characters."""
    plain = _plain(text)
    words = [word.removesuffix("s") if len(word) > 3 else word for word in re.findall(r"[a-z0-9_]+", plain)]
    runs = re.findall(r"[\u4e00-\u9fff]+", plain)
    return words + [run[at : at + 2] for run in runs for at in range(max(len(run) - 1, 1))]
