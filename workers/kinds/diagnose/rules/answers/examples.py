"""A figure in a reply to an item that holds no threshold, only what was measured in another incident: "Parsing takes (~80 s) per file".

Who answers such an item with a figure has looked and found a value. It is the same phenomenon if the value is of that order, or further
in the direction that the item complains about; it is another state if it is far from there; in between nothing follows.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from contracts.diagnose.deliverables import Finding
from workers.kinds.diagnose.rules.answers.figures import Dimension, Figure, figures_in

_OF_THAT_ORDER = 1 / 3
_FAR = 1 / 10
"""Ratio of the value to the example from which it is of that order, and below which it is another state."""
_NEAR_POINTS = 15.0
_FAR_SHARE = 0.5
"""Per cents: points below the example that still count as near it, and the part of it below which the state is another one."""
_LITTLE = re.compile(
    r"\b(?:only|just|merely|free|left|remaining|low|fewer|less|below|drop\w*|fell)\b|只有|仅|剩余|空闲|不足|低|少于|下降", re.IGNORECASE
)
"""Words of an item that complains of too little."""


def beside(figures: Sequence[Figure], item: str) -> Finding | None:
    """What the figures of a reply say of an item without a threshold; None: nothing, or they disagree."""
    if not figures:
        return None
    if not any(figure.value for figure in figures):
        return Finding.DENIED
    examples = _examples(item)
    little = _LITTLE.search(item) is not None
    compared = {_against(figure, example, little) for figure, example in _comparable(figures, examples)}
    if compared:
        return Finding.CONFIRMED if Finding.CONFIRMED in compared else Finding.DENIED if compared == {Finding.DENIED} else None
    return Finding.CONFIRMED if any(figure.value > 1 for figure in figures) else None


@lru_cache(512)
def _examples(item: str) -> tuple[Figure, ...]:
    return tuple(figures_in(item))


def _comparable(figures: Iterable[Figure], examples: Sequence[Figure]) -> Iterable[tuple[Figure, Figure]]:
    """The pairs that measure the same. A figure without a unit is a count."""
    return (
        (figure, example)
        for figure in figures
        for example in examples
        if (figure.dimension or Dimension.COUNT) is (example.dimension or Dimension.COUNT) and example.value > 0
    )


def _against(figure: Figure, example: Figure, little: bool) -> Finding | None:
    if figure.dimension is Dimension.SHARE:
        gap = figure.value - example.value if little else example.value - figure.value
        if gap <= _NEAR_POINTS:
            return Finding.CONFIRMED
        far = figure.value > example.value / _FAR_SHARE if little else figure.value < _FAR_SHARE * example.value
        return Finding.DENIED if far else None
    ratio = example.value / figure.value if little and figure.value else figure.value / example.value
    if ratio >= _OF_THAT_ORDER:
        return Finding.CONFIRMED
    return Finding.DENIED if ratio < _FAR else None
