"""What a process keeps of the history between two steps, for one revision of it: a write anywhere, and it is read anew.

Everything in here is a copy of rows, found again by their ids; what a search yields does not depend on it. The rows of
`history_state` say which revision a snapshot sees, so an older snapshot never meets what a newer one has read.
"""

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import LiteralString
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg

from workers.blackboard.engine import Database, Row
from workers.tickets import facts
from workers.tickets.facts import CauseFacts, Holders, PhenomenonFacts, TicketFacts, Weigh
from workers.tickets.postings import Postings
from workers.tickets.store import Store

Connection = psycopg.Connection[Row]

_TICKETS_KEPT = 32_000_000
_PHENOMENA_KEPT = 80_000_000
_HOLDERS_KEPT = 16_000_000
_CAUSES_KEPT = 8_000_000
_NEIGHBOURS_KEPT = 1_000_000
"""Bytes, about: a history of 10,000 tickets whole."""
_WORDS_KEPT = 100_000
_OFTEN = 64
"""Phenomena that are read of a cause at least: as many as are wanted where there are five causes or more."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The phenomena nearest to a text by meaning: what was told is told again in the next turn."""

    text: str
    ids: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes, about."""
        return 1_000 + 4 * len(self.text) + 80 * len(self.ids)


@dataclass
class WordFacts:
    """What words are worth, as far as it was asked for."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    """word → tickets that hold it"""
    squares: dict[str, float] = field(default_factory=dict[str, float])
    """word → squared weight"""
    whole: bool = False
    """Whether all words of the history are here: another one stands in no ticket."""

    def complete(self) -> None:
        """All words of the history were put in."""
        self.whole = True

    @property
    def full(self) -> bool:
        """Whether it is time to begin anew."""
        return len(self.counts) > _WORDS_KEPT

    @property
    def has_room(self) -> bool:
        """Whether there is room for many more."""
        return len(self.counts) < _WORDS_KEPT // 2


@dataclass
class Place:
    """How far the history was read ahead, see ahead.py."""

    since: float = field(default_factory=monotonic)
    """When this process first saw the revision."""
    part: int = 0
    after: str = ""


@dataclass
class Kept:
    """All that is kept of one revision, for one embedding model."""

    revision: UUID
    words: "WordFacts" = field(default_factory=lambda: WordFacts())
    tickets: Store[TicketFacts] = field(default_factory=lambda: Store[TicketFacts](_TICKETS_KEPT))
    phenomena: Store[PhenomenonFacts] = field(default_factory=lambda: Store[PhenomenonFacts](_PHENOMENA_KEPT))
    holders: Store[Holders] = field(default_factory=lambda: Store[Holders](_HOLDERS_KEPT))
    """by phenomenon"""
    causes: Store[CauseFacts] = field(default_factory=lambda: Store[CauseFacts](_CAUSES_KEPT))
    frequent: dict[int, dict[str, tuple[str, ...]]] = field(default_factory=dict[int, dict[str, tuple[str, ...]]])
    """how many → the most frequent causes, each with two of its tickets"""
    neighbours: Store[Neighbours] = field(default_factory=lambda: Store[Neighbours](_NEIGHBOURS_KEPT))
    """by the text that they are near to"""
    ticket_words: Postings = field(default_factory=lambda: Postings("ticket"))
    phenomenon_words: Postings = field(default_factory=lambda: Postings("phenomenon"))
    ahead: Place = field(default_factory=Place)


@dataclass(frozen=True)
class Snapshot:
    """The history as one transaction sees it."""

    connection: Connection
    model: str | None
    """Whose vectors are read; None: none are."""
    tickets: int
    causes: int
    mean_words: float
    """Distinct words in a ticket's symptoms."""
    kept: Kept


_of_process: WeakKeyDictionary[Database, dict[str | None, Kept]] = WeakKeyDictionary()
_lock = threading.Lock()


_OPEN: LiteralString = """
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SET LOCAL plan_cache_mode = force_generic_plan;
    SELECT revision, tickets, causes, words FROM history_state
"""
"""In one message, for a step waits longer for an answer to come and go than for most of the answers."""


@contextmanager
def snapshot(db: Database, model: str | None) -> Generator[Snapshot]:
    """All statements of this transaction see the same history, whatever is imported meanwhile. Each of them is planned once a
    connection: they find rows by their keys, and searches have what their plan depends on in their text."""
    with db.session() as connection:
        try:
            cursor = connection.execute(_OPEN, prepare=False)
            while cursor.nextset():
                pass
            row = cursor.fetchall()[0]
            yield Snapshot(
                connection=connection,
                model=model,
                tickets=row["tickets"],
                causes=row["causes"],
                mean_words=max(row["words"] / row["tickets"], 1.0) if row["tickets"] else 1.0,
                kept=_kept(db, model, row["revision"]),
            )
        finally:
            connection.commit()


def read_tickets(snapshot: Snapshot, weigh: Weigh, ids: Iterable[str]) -> dict[str, TicketFacts]:
    """Tickets by id."""
    return snapshot.kept.tickets.find(ids, partial(facts.read_tickets, snapshot.connection, snapshot.model, weigh))


def read_phenomena(snapshot: Snapshot, weigh: Weigh, ids: Iterable[str]) -> dict[str, PhenomenonFacts]:
    """Phenomena by id."""
    return snapshot.kept.phenomena.find(ids, partial(facts.read_phenomena, snapshot.connection, snapshot.model, weigh))


def read_holders(snapshot: Snapshot, ids: Iterable[str]) -> dict[str, Holders]:
    """The tickets that show phenomena, by the phenomenon's id."""
    return snapshot.kept.holders.find(ids, partial(facts.read_holders, snapshot.connection))


def read_causes(snapshot: Snapshot, ids: Sequence[str], most_often: int) -> dict[str, CauseFacts]:
    """Causes by id, each with at least so many of its phenomena, if it has them."""
    often = max(_OFTEN, 1 << (most_often - 1).bit_length())  # few different numbers, so that a cause is seldom read twice

    def load(missing: list[str]) -> dict[str, CauseFacts]:
        read = facts.read_causes(snapshot.connection, often, [key.split(" ", 1)[1] for key in missing])
        return {f"{often} {cause}": found for cause, found in read.items()}

    found = snapshot.kept.causes.find((f"{often} {cause}" for cause in ids), load)
    return {cause: found[f"{often} {cause}"] for cause in ids}


def read_frequent(snapshot: Snapshot, most: int) -> dict[str, tuple[str, ...]]:
    """The most frequent causes, so many of them, each with two of its tickets."""
    held = snapshot.kept.frequent
    if most not in held:
        held[most] = facts.read_frequent(snapshot.connection, most)
    return held[most]


def is_kept(db: Database, model: str | None) -> bool:
    """Whether this process keeps anything of this history: it has searched it."""
    with _lock:
        return model in _of_process.get(db, {})


def forget(db: Database) -> None:
    """Keep nothing of this database's history any more."""
    with _lock:
        _of_process.pop(db, None)


def _kept(db: Database, model: str | None, revision: UUID) -> Kept:
    with _lock:
        by_model = _of_process.setdefault(db, {})
        kept = by_model.get(model)
        if kept is None or kept.revision != revision:
            by_model[model] = kept = Kept(revision)
        if kept.words.full:
            kept.words = WordFacts()  # who holds the old one goes on with it
        return kept
