"""Skills by the words of a question: BM25 over what a skill says of itself and over the prose of its instructions, and the best passage.

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
"""Weight of the body beside name, title, triggers and description. From 1 to 1.5 the results are the same; without the body, 13
questions in a hundred more miss their skill (`hit1` and `hit1_descriptions` of `bullpen eval skills`)."""

PASSAGE = 1.0
"""Weight of the best passage: a passage that has several words of the question says more than the same words spread over a long body. It is
worth two questions in a hundred."""

_PROSE_B = 0.9
"""BM25's b for bodies. They differ in length by a factor of fifty, so length counts more than for descriptions."""

_AS_MANY = 50
"""The rarity of a word is counted as if a library had at least this number of skills. In a library of four, every word would be common."""

_LONG_PASSAGE = 500
"""Words of a passage that halve its score, about: a passage of this length is a whole section."""

_CODE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_PIECE = re.compile(r"(?<=[.\n;:,。；：，])")
_PASSAGES = re.compile(r"\n\s*\n|\n#+ |(?<=[.。])\s")
_ENDINGS = ("ing", "ed")
_LETTER = rf"[^\W{CJK}]"
"""A letter of a word that has borders. A Chinese character may follow it without a space: 看RSRP偏低."""

Weights = dict[str, dict[int, float]]
"""Word → position of a skill → what the word adds to the score of this skill."""


class WordIndex:
    """The words of some skills."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        heads, bodies = [head_of(skill) for skill in skills], [prose_of(skill) for skill in skills]
        self._weights: tuple[tuple[float, Weights], ...] = ((1.0, _weights(heads, B)), (PROSE, _weights(bodies, _PROSE_B)))
        self._owners: list[int] = []
        self._passages: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        self._add_passages([f"{skill.description}\n\n{body}" for skill, body in zip(skills, bodies, strict=True)])

    def scores(self, question: str) -> dict[int, float]:
        """Position of a skill → score, for the skills that share a word with the question. A long question has more words that may be
        shared by chance, so the sum is divided by the square root of their number."""
        asked = words_of(question)
        found: defaultdict[int, float] = defaultdict(float)
        for part, weights in self._weights:
            for word in asked:
                for position, weight in weights.get(word, {}).items():
                    found[position] += part * weight
        for position, score in self._best_passages(asked).items():
            found[position] += PASSAGE * score
        return {position: score / len(asked) ** 0.5 for position, score in found.items()}

    def _best_passages(self, asked: Iterable[str]) -> dict[int, float]:
        passages: defaultdict[int, float] = defaultdict(float)
        for word in asked:
            for passage, weight in self._passages.get(word, ()):
                passages[passage] += weight
        best: dict[int, float] = {}
        for passage, score in passages.items():
            owner = self._owners[passage]
            best[owner] = max(best.get(owner, 0.0), score)
        return best

    def _add_passages(self, texts: Sequence[str]) -> None:
        passages = [[set(words_of(passage)) for passage in _PASSAGES.split(text)] for text in texts]
        holders = Counter(word for own in passages for word in set[str]().union(*own))
        for position, own in enumerate(passages):
            for words in filter(None, own):
                number = len(self._owners)
                self._owners.append(position)
                for word in words:
                    rarity = _rarity(len(texts), holders[word])
                    self._passages[word].append((number, rarity / (1 + len(words) / _LONG_PASSAGE)))


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


def words_of(text: str) -> list[str]:
    """The distinct words of a text as they are compared here: `visualizing` and `visualized` are one word."""
    return list(dict.fromkeys(map(_stem, tokens(text))))


def _stem(word: str) -> str:
    """An English word without -ing, -ed and a last -e: `parsing`, `parsed` and `parse` become `pars`."""
    if len(word) < 5 or not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]  # planning, plan
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _rarity(total: int, holders: int) -> float:
    """BM25's inverse document frequency."""
    return log(1 + (max(total, _AS_MANY) - holders + 0.5) / (holders + 0.5))


def _weights(texts: Iterable[str], b: float) -> Weights:
    counted = [Counter(word for piece in _PIECE.split(text) for word in words_of(piece)) for text in texts]
    holders = Counter(word for counts in counted for word in counts)
    mean = sum(counts.total() for counts in counted) / max(len(counted), 1) or 1.0
    weights: Weights = defaultdict(dict)
    for position, counts in enumerate(counted):
        damping = K1 * (1 - b + b * counts.total() / mean)
        for word, times in counts.items():
            weights[word][position] = _rarity(len(counted), holders[word]) * times * (K1 + 1) / (times + damping)
    return weights
