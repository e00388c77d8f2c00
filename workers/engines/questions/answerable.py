"""How likely the tables can answer a question at all: how much of what it speaks of they have."""

from collections.abc import Sequence

from workers.engines.questions.items import Item, Kind
from workers.engines.questions.vocabulary import Vocabulary, keys_of

_LINKED = (Kind.TABLE, Kind.COLUMN, Kind.FLAG, Kind.VALUE, Kind.WHEN)
_DOING = (
    Kind.COUNT, Kind.AGGREGATE, Kind.EACH, Kind.TOP, Kind.ORDER, Kind.SHOW, Kind.RATIO, Kind.COMPARE, Kind.MOST, Kind.DISTINCT, Kind.METRIC,
)  # fmt: skip
_PER_DOING = 0.3
"""What a word like `average` speaks for a question of data."""
_DESCRIBED = 0.4
"""What an unknown word speaks against it that some description has; another unknown word: 1."""
_READ = 3.0
"""What a reading that accounts for every word speaks for it."""
_DOUBT = 0.5
"""Keeps a question of one or two words from certainty."""


def answerable(items: Sequence[Item], vocabulary: Vocabulary, *, is_read: bool) -> float:
    """From 0 to 1. Weights were set by hand; 167 questions against 60 that have no answer in their tables: see docs/questions.md."""
    for_it, against = _READ * is_read, _DOUBT
    for item in items:
        if item.kind in _LINKED and item.links:
            for_it += max(link.quality for link in item.links)
        elif item.kind in _DOING:
            for_it += _PER_DOING
        elif item.kind == Kind.UNKNOWN or (item.kind == Kind.VALUE and not item.links):
            against += _DESCRIBED if _is_described(item.text, vocabulary) else 1.0
    return for_it / (for_it + against)


def _is_described(word: str, vocabulary: Vocabulary) -> bool:
    return any(key in vocabulary.words or key in vocabulary.described_words for key in keys_of(word))
