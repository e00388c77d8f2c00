"""A simulated user, who knows one hidden ticket and answers questions.

They first give only their opening. They confirm a phenomenon if at least half of its character 3-grams
occur in the hidden ticket's own phenomena, and deny it otherwise. A question that names several phenomena at once, or has fewer
than six characters, is denied. A title, root cause, solution or path is never shown.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.diagnose.deliverables import Finding, PhenomenonQuestion
from contracts.tickets import Ticket
from workers.engines.language import language_of

_LEAST_CHARACTERS = 6
_CONFIRMED_FROM = 0.5
_NAMES_FROM = 0.8
"""Share of a phenomenon's 3-grams in a question from which the question names it."""
_SPACE = re.compile(r"\s+")
_WORDS = {
    "en": {Finding.CONFIRMED: "yes", Finding.DENIED: "no", Finding.UNKNOWN: "don't know"},
    "zh": {Finding.CONFIRMED: "确认", Finding.DENIED: "否定", Finding.UNKNOWN: "不清楚"},
}


def grams(text: str) -> frozenset[str]:
    """The character 3-grams of a text, case and white space put aside; of a shorter text, itself."""
    plain = _SPACE.sub("", text).casefold()
    return frozenset(plain[at : at + 3] for at in range(len(plain) - 2)) if len(plain) > 2 else frozenset({plain} - {""})


def share(grams: frozenset[str], other: frozenset[str]) -> float:
    """The share of the first set that is also in the second; 0 when the first is empty."""
    return len(grams & other) / len(grams) if grams else 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What a question was about, as the user knows."""

    present: bool = False
    other_system: bool = False
    stated: bool = False
    """The user's first words said it already."""
    again: bool = False
    """The user was asked for it before, in any words."""
    about: str = ""
    """What they call it; empty where they have no name for it."""


class User(Protocol):
    """Who answers in an evaluation."""

    repeated: int
    seen: list[Seen]

    def answer(self, question: PhenomenonQuestion) -> str:
        """The reply as a person would type it."""
        ...


class SimulatedUser:
    """Answers from the hidden ticket. `overlook` is the chance that a phenomenon of the ticket is denied, `unsure` that they do not know,
    and `err` that they say the opposite. `opening`: their first words, if not the ticket's."""

    def __init__(
        self, ticket: Ticket, *, overlook: float = 0.0, unsure: float = 0.0, err: float = 0.0, seed: int = 0, opening: str = ""
    ) -> None:
        self.language = language_of(opening or ticket.description)
        self._overlook = overlook
        self._unsure = unsure
        self._err = err
        self._opening = grams(opening or ticket.description)
        self.seen: list[Seen] = []
        self._chance = random.Random(f"{seed}/{ticket.ticket_id}{opening and '/'}{opening}")
        self._own = [grams(anomaly.description) for anomaly in ticket.anomalies]
        self._all = frozenset[str]().union(*self._own)
        self._clusters = _clusters(self._own)
        self._asked: set[int] = set()
        self._heard: set[frozenset[str]] = set()
        self.repeated = 0
        """Questions about a phenomenon of theirs that was asked before, in any words; and about any other phenomenon, in
        the same words."""

    def answer(self, question: PhenomenonQuestion) -> str:
        """The reply as a person would type it: `1 yes 2 no`."""
        words = _WORDS[self.language]
        if not question.items:
            return words[Finding.UNKNOWN]
        return " ".join(f"{item.number} {words[self._finding(item.description)]}" for item in question.items)

    def _finding(self, description: str) -> Finding:
        asked = grams(description)
        named = self._named(asked)
        self._note(asked, named)
        present = len(description.strip()) >= _LEAST_CHARACTERS and len(named) <= 1 and share(asked, self._all) >= _CONFIRMED_FROM
        self.seen.append(Seen(present=present, stated=share(asked, self._opening) >= _NAMES_FROM))
        if self._unsure and self._chance.random() < self._unsure:
            return Finding.UNKNOWN
        if present and self._chance.random() < self._overlook:
            present = False
        if self._err and self._chance.random() < self._err:
            present = not present
        return Finding.CONFIRMED if present else Finding.DENIED

    def _named(self, asked: frozenset[str]) -> set[int]:
        """The clusters of the phenomena that the question holds."""
        return {cluster for own, cluster in zip(self._own, self._clusters, strict=True) if share(own, asked) >= _NAMES_FROM}

    def _note(self, asked: frozenset[str], named: set[int]) -> None:
        """Count the question as a repetition when everything that it asks was asked before, independent of the answer: the clusters
        it names, or else that of the nearest own phenomenon; or when its very words were."""
        about = named or self._nearest(asked)
        self.repeated += asked in self._heard or (bool(about) and about <= self._asked)
        self._heard.add(asked)
        self._asked |= about

    def _nearest(self, asked: frozenset[str]) -> set[int]:
        """The cluster of the most similar phenomenon of the ticket; None if the question's words do not match a single phenomenon."""
        near = [share(asked, own) for own in self._own]
        best = max(range(len(near)), key=near.__getitem__, default=None)
        return {self._clusters[best]} if best is not None and near[best] >= _CONFIRMED_FROM else set()


def _clusters(own: Sequence[frozenset[str]]) -> list[int]:
    """Phenomena of one ticket that mean the same have the same number: most 3-grams of each occur in the other."""
    numbers: list[int] = []
    for at, grams in enumerate(own):
        same = (numbers[before] for before in range(at) if min(share(grams, own[before]), share(own[before], grams)) >= _NAMES_FROM)
        numbers.append(next(same, at))
    return numbers
