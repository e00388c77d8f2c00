"""What a process keeps of the history between two steps, for one revision of it: a write anywhere, and it is read anew.

Everything in here is a copy of rows, found again by their ids; what a search yields does not depend on it. The rows of
`history_state` say which revision a snapshot sees, so an older snapshot never meets what a newer one has read.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, Protocol, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg

from workers.blackboard.engine import Database, Row
from workers.knowledge import facts
from workers.knowledge.facts import CauseFacts, PhenomenonFacts, TicketFacts, Weigh
from workers.knowledge.postings import Postings

Connection = psycopg.Connection[Row]

_TICKETS_KEPT = 8_000_000
_PHENOMENA_KEPT = 32_000_000
_CAUSES_KEPT = 2_000_000
_NEIGHBOURS_KEPT = 1_000_000
"""Bytes, about."""
_WORDS_KEPT = 100_000


class _Weighed(Protocol):
    @property
    def size(self) -> int: ...


T = TypeVar("T", bound=_Weighed)


class Store(Generic[T]):
    """Facts by id, at most so many bytes of them: those that were not asked for longest go first."""

    def __init__(self, capacity: int) -> None:
        self._room = capacity
        self._held: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, ids: Iterable[str], load: Callable[[list[str]], dict[str, T]]) -> dict[str, T]:
        """The facts of these ids; `load` reads those that are not here. What does not exist is absent."""
        found: dict[str, T] = {}
        missing: list[str] = []
        for key in dict.fromkeys(ids):
            fact = self._held.get(key)
            if fact is None:
                missing.append(key)
            else:
                found[key] = fact
        self._refresh(found)
        if missing:
            loaded = load(missing)
            found.update(loaded)
            self._keep(loaded)
        return found

    def _refresh(self, found: Iterable[str]) -> None:
        with self._lock:
            for key in found:
                if key in self._held:  # another thread may have needed its room
                    self._held.move_to_end(key)

    def _keep(self, loaded: dict[str, T]) -> None:
        with self._lock:
            for key, fact in loaded.items():
                before = self._held.pop(key, None)
                self._room += (before.size if before else 0) - fact.size
                self._held[key] = fact
            while self._room < 0 and self._held:
                _, oldest = self._held.popitem(last=False)
                self._room += oldest.size


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The phenomena nearest to a text by meaning: what was told is told again in the next turn."""

    text: str
    ids: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes, about."""
        return 1_000 + 4 * len(self.text) + 80 * len(self.ids)


@dataclass(frozen=True)
class WordFacts:
    """What words are worth, as far as it was asked for."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    """word → tickets that hold it"""
    squares: dict[str, float] = field(default_factory=dict[str, float])
    """word → squared weight"""

    @property
    def full(self) -> bool:
        """Whether it is time to begin anew."""
        return len(self.counts) > _WORDS_KEPT


@dataclass
class Kept:
    """All that is kept of one revision, for one embedding model."""

    revision: UUID
    words: "WordFacts" = field(default_factory=lambda: WordFacts())
    tickets: Store[TicketFacts] = field(default_factory=lambda: Store[TicketFacts](_TICKETS_KEPT))
    phenomena: Store[PhenomenonFacts] = field(default_factory=lambda: Store[PhenomenonFacts](_PHENOMENA_KEPT))
    causes: Store[CauseFacts] = field(default_factory=lambda: Store[CauseFacts](_CAUSES_KEPT))
    frequent: dict[int, dict[str, tuple[str, ...]]] = field(default_factory=dict[int, dict[str, tuple[str, ...]]])
    """how many → the most frequent causes, each with two of its tickets"""
    neighbours: Store[Neighbours] = field(default_factory=lambda: Store[Neighbours](_NEIGHBOURS_KEPT))
    """by the text that they are near to"""
    ticket_words: Postings = field(default_factory=lambda: Postings("ticket"))
    phenomenon_words: Postings = field(default_factory=lambda: Postings("phenomenon"))


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


def take_snapshot(db: Database, connection: Connection, model: str | None) -> Snapshot:
    """All statements of this transaction see the same history, whatever is imported meanwhile."""
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    row = connection.execute("SELECT revision, tickets, causes, words FROM history_state").fetchall()[0]
    return Snapshot(
        connection=connection,
        model=model,
        tickets=row["tickets"],
        causes=row["causes"],
        mean_words=max(row["words"] / row["tickets"], 1.0) if row["tickets"] else 1.0,
        kept=_kept(db, model, row["revision"]),
    )


def read_tickets(snapshot: Snapshot, weigh: Weigh, ids: Iterable[str]) -> dict[str, TicketFacts]:
    """Tickets by id."""
    return snapshot.kept.tickets.find(ids, partial(facts.read_tickets, snapshot.connection, snapshot.model, weigh))


def read_phenomena(snapshot: Snapshot, weigh: Weigh, ids: Iterable[str]) -> dict[str, PhenomenonFacts]:
    """Phenomena by id."""
    return snapshot.kept.phenomena.find(ids, partial(facts.read_phenomena, snapshot.connection, snapshot.model, weigh))


def read_causes(snapshot: Snapshot, ids: Sequence[str], most_often: int) -> dict[str, CauseFacts]:
    """Causes by id, each with at least so many of its phenomena, if it has them."""
    often = 1 << (most_often - 1).bit_length()  # few different numbers, so that a cause is seldom read twice

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
