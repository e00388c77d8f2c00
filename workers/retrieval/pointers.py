"""From rankings to the pointers that a search answers with."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from contracts.pointers import MOST_POINTERS, POINTER_CAP, Pointer
from contracts.statements import count, say
from workers.errors import InvalidInput

P = TypeVar("P", bound=Pointer)


def choose(scores: Mapping[str, float], *, most: int = MOST_POINTERS, least_score: float = 0.0) -> list[tuple[str, float]]:
    """The best of what was fused, best first, ties by id; none that scores less than `least_score`. Raises `InvalidInput` for a
    number that no answer may have."""
    if not 1 <= most <= POINTER_CAP:
        raise InvalidInput.of(say("refused.search.most", most=count(POINTER_CAP), asked=count(most, exact=True)))
    ranked = sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))
    return [hit for hit in ranked[:most] if hit[1] >= least_score]


def in_line(text: str, characters: int = 160) -> str:
    """A text as one line of a pointer."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def as_pointers(chosen: list[tuple[str, float]], make: Callable[[str, float], P | None]) -> tuple[P, ...]:
    """A pointer for each id and score; what has vanished meanwhile (`make` gives None) is left out."""
    return tuple(made for found, score in chosen if (made := make(found, score)) is not None)
