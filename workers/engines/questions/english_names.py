"""English words for what Chinese comments call tables, columns and values, for English questions: 水表 is a water meter."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from workers.engines.questions.chinese_words import LEXICON
from workers.engines.questions.words import key

_MOST = 12
"""English names of one Chinese name."""
_LONGEST_PART = 6
_WHOLE, _COMPOSED = 0.8, 0.75
"""Quality of a name that the lexicon has, and of one put together from several of its words."""


def english_names(chinese: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """The words of each English name, without plural, and how well it fits."""
    for english in LEXICON.get(chinese, "").split("/"):
        if english:
            yield _keys(english), _WHOLE
    for names in _composed(chinese):
        yield names, _COMPOSED


@lru_cache(4_096)
def _composed(chinese: str) -> tuple[tuple[str, ...], ...]:
    """`amount received` for 实收金额: the longest words of the lexicon from left to right, each in all its meanings."""
    parts: list[list[str]] = []
    place = 0
    while place < len(chinese):
        found = next(
            (size for size in range(min(_LONGEST_PART, len(chinese) - place), 0, -1) if chinese[place : place + size] in LEXICON), 0
        )
        if not found or found == len(chinese):
            return ()
        parts.append(LEXICON[chinese[place : place + found]].split("/"))
        place += found
    made = (tuple(part for english in chosen for part in _keys(english)) for chosen in product(*parts))
    return tuple(dict.fromkeys(made))[:_MOST]


def _keys(english: str) -> tuple[str, ...]:
    return tuple(key(part) for part in english.split())
