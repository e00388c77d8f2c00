"""Skills by the words of a question: BM25 over what a skill says of itself, and over the prose of its instructions.

The body belongs to the index because authors write there when a skill is to be used. Code blocks are left out: their words are those of
libraries and not of users.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log

from workers.engines.language import CJK
from workers.retrieval.tokens import tokens
from workers.retrieval.words import K1, B
from workers.skills.skill import Skill

PROSE = 1.2
"""Weight of the body beside name, title, triggers and description. From 1 to 1.5 the results are the same; without the body, 18 of 100
more questions miss their skill."""

_AS_MANY = 50
"""The rarity of a word is counted as if a library had at least this number of skills. In a library of four, every word would be common."""

_CODE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_PIECE = re.compile(r"(?<=[.\n;:,。；：，])")
_LETTER = rf"[^\W{CJK}]"
"""A letter of a word that has borders. A Chinese character may follow it without a space: 看RSRP偏低."""

Weights = dict[str, dict[int, float]]
"""Word → position of a skill → what the word adds to the score of this skill."""


class WordIndex:
    """The words of some skills."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._weights: tuple[tuple[float, Weights], ...] = (
            (1.0, _weights([head_of(skill) for skill in skills])),
            (PROSE, _weights([prose_of(skill) for skill in skills])),
        )

    def scores(self, question: str) -> dict[int, float]:
        """Position of a skill → score, for the skills that share a word with the question. A long question has more words that may be
        shared by chance, so the sum is divided by the square root of their number."""
        asked = tokens(question)
        found: defaultdict[int, float] = defaultdict(float)
        for part, weights in self._weights:
            for word in asked:
                for position, weight in weights.get(word, {}).items():
                    found[position] += part * weight
        return {position: score / len(asked) ** 0.5 for position, score in found.items()}


_KEPT: dict[tuple[str, ...], WordIndex] = {}
_MOST_KEPT = 8


def index_of(skills: Sequence[Skill]) -> WordIndex:
    """The index of these skills, kept for the next question under their hashes."""
    key = tuple(skill.hash for skill in skills)
    index = _KEPT.get(key)
    if index is None:
        index = WordIndex(skills)
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)), None)
        _KEPT[key] = index
    return index


def head_of(skill: Skill) -> str:
    """What a skill says of itself."""
    return "\n".join((skill.name.replace("-", " ").replace("_", " "), skill.title, *skill.triggers, skill.description))


def prose_of(skill: Skill) -> str:
    """The body without its code blocks."""
    return _CODE.sub("", skill.body)


def triggers_in(question: str, skill: Skill) -> tuple[str, ...]:
    """The skill's triggers that the question has: whole words, and any part of a Chinese text. Case and width make no difference."""
    return tuple(trigger for trigger in skill.triggers if _has(question, trigger))


def _has(question: str, trigger: str) -> bool:
    wanted = " ".join(trigger.casefold().split())
    text = " ".join(question.casefold().split())
    if not wanted:
        return False
    left = rf"(?<!{_LETTER})" if re.match(_LETTER, wanted) else ""
    right = rf"(?!{_LETTER})" if re.match(_LETTER, wanted[-1]) else ""
    return re.search(left + re.escape(wanted) + right, text) is not None


def _weights(texts: Iterable[str]) -> Weights:
    counted = [Counter(word for piece in _PIECE.split(text) for word in tokens(piece)) for text in texts]
    holders = Counter(word for counts in counted for word in counts)
    total = max(len(counted), _AS_MANY)
    mean = sum(counts.total() for counts in counted) / max(len(counted), 1) or 1.0
    weights: Weights = defaultdict(dict)
    for position, counts in enumerate(counted):
        damping = K1 * (1 - B + B * counts.total() / mean)
        for word, times in counts.items():
            rarity = log(1 + (total - holders[word] + 0.5) / (holders[word] + 0.5))
            weights[word][position] = rarity * times * (K1 + 1) / (times + damping)
    return weights
