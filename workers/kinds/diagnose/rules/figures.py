"""A figure of an answer against the threshold that an item names: "25 minutes" to "lag above 600 s", "99.2 %" to "hit rate below 95 %".

Figures are compared within one dimension only: seconds, bytes, per cent, or plain counts. A figure without a unit is taken in the unit of
the threshold.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from contracts.diagnose.deliverables import Finding
from workers.engines.denials import denies
from workers.kinds.diagnose.rules.closed_tokens import tokens_of

_NUMBER = re.compile(
    r"(?<![\w.:])(\d{1,3}(?:,\d{3})+(?:\.\d{1,9})?|\d{1,12}(?:\.\d{1,9})?)(?![\w:]*:\d)\s?([a-z]{1,12}|%|[\u4e00-\u9fff]{1,2})?",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"(?:(?P<more>more than|longer than|older than|greater than|larger than|higher than|exceed(?:s|ed|ing)?|above|over|beyond|>"
    r"|超过|高于|大于|多于|长于)|(?P<least>at least|>=|≥|至少)|(?P<most>at most|<=|≤)|less than|shorter than|younger than|lower than"
    r"|smaller than|fewer than|under|below|<|低于|小于|少于|不足|不到|短于)\s?$",
    re.IGNORECASE,
)
_BEFORE = 20
"""Characters before a figure in which the side of a threshold is named."""


@dataclass(frozen=True)
class Figure:
    """A number in its dimension."""

    dimension: str | None
    """`time` in seconds, `size` in bytes, `share` in per cent, or `count`. None: without a unit."""
    value: float


@dataclass(frozen=True)
class Threshold:
    """What an item asks: whether a quantity is above (1) or below (-1) this."""

    direction: int
    dimension: str
    value: float
    scale: float = 1.0
    """What a figure without a unit is multiplied by."""
    itself: bool = False
    """Whether the value itself counts too: "at least"."""


@cache
def _units() -> dict[str, tuple[str, float]]:
    table = tomllib.loads(Path(__file__).with_name("closed_words.toml").read_text("utf-8"))
    return {word: (dimension, float(scale)) for word, (dimension, scale) in table["units"].items()}


def unit_of(word: str) -> tuple[str, float] | None:
    """The dimension and scale of a unit; None for any other word."""
    plain = word.lower()
    return _units().get(plain) or _units().get(plain.rstrip("s") if plain.endswith("s") else f"{plain}s")


def figures_in(text: str) -> list[Figure]:
    """The figures of a text, in its order. Numbers inside words (`10.0.0.1`, `v2`) are none."""
    return [figure for _, figure, _ in _found(text)]


def _found(text: str) -> list[tuple[int, Figure, float]]:
    """Where each figure begins, the figure, and the scale of its unit."""
    made: list[tuple[int, Figure, float]] = []
    for match in _NUMBER.finditer(text):
        word = match[2] or ""
        unit = unit_of(word) or (unit_of(word[:1]) if word and word[0] > "\u2e80" else None)
        dimension, scale = unit or (None, 1.0)
        made.append((match.start(), Figure(dimension, float(match[1].replace(",", "")) * scale), scale))
    return made


@lru_cache(512)
def threshold_of(item: str) -> Threshold | None:
    """The threshold that an item names; None where it names none, or several."""
    found: list[Threshold] = []
    for start, figure, scale in _found(item):
        before = item[max(start - _BEFORE, 0) : start]
        if (side := _SIDE.search(before)) is None:
            continue
        denied = [denies(word.text) for word in tokens_of(before[: side.start()])[-2:]]
        if denied[:-1] == [True]:  # "not often above": nobody knows of what it is the denial
            return None
        is_turned, itself = denied[-1:] == [True], bool(side["least"] or side["most"])  # "no more than"
        direction = 1 if bool(side["more"] or side["least"]) is not is_turned else -1
        found.append(Threshold(direction, figure.dimension or "count", figure.value, scale, itself is not is_turned))
    return found[0] if len(found) == 1 else None


def in_unit_of(figures: Sequence[Figure], threshold: Threshold) -> list[Figure]:
    """Figures without a unit, taken in the unit of the threshold: "45" to "lag greater than 30 seconds"."""
    return [figure if figure.dimension else Figure(threshold.dimension, figure.value * threshold.scale) for figure in figures]


def against(figures: Sequence[Figure], threshold: Threshold) -> Finding | None:
    """What the figures say of the item: all on one side of its threshold, else None."""
    comparable = [figure for figure in figures if figure.dimension == threshold.dimension]
    apart = [(figure.value - threshold.value) * threshold.direction for figure in comparable]
    beyond = {distance > 0 or (threshold.itself and distance == 0) for distance in apart}
    if len(beyond) != 1:
        return None
    return Finding.CONFIRMED if beyond.pop() else Finding.DENIED
