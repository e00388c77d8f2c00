"""Reading ahead: a process that has searched the history reads the rest of it while nobody waits, slice by slice.

The next steps then have in memory what they would else ask for row by row, which takes half of their time where each
incident concerns other tickets. A slice is read as a step reads, so no result depends on it; what the process keeps is
bounded (kept.py), and reading ahead ends before something would have to go for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import LiteralString, Protocol

from workers.blackboard.engine import Database
from workers.tickets.kept import Kept, Place, Snapshot, is_kept, read_causes, read_holders, read_phenomena, read_tickets, snapshot
from workers.tickets.words import WordWeights


class _Room(Protocol):
    """Where facts are kept."""

    @property
    def has_room(self) -> bool: ...


@dataclass(frozen=True)
class Part:
    """One kind of what is kept, read in the order of its keys."""

    keys: LiteralString
    """The next keys after one."""
    read: Callable[[Snapshot, list[str]], object]
    kept: Callable[[Kept], _Room]
    complete: Callable[[Kept], None] = lambda kept: None
    """Says that all were read."""


_WORDS: LiteralString = "SELECT word AS key FROM symptom_words WHERE word > %(after)s ORDER BY word LIMIT"

PARTS = (
    Part(
        _WORDS + " 1000",
        lambda history, words: WordWeights(history).learn(words),
        lambda kept: kept.words,
        lambda kept: kept.words.complete(),
    ),
    Part(
        "SELECT cause_id AS key FROM causes WHERE cause_id > %(after)s ORDER BY cause_id LIMIT 20",
        lambda history, causes: read_causes(history, causes, 1),
        lambda kept: kept.causes,
    ),
    Part(
        "SELECT ticket_id AS key FROM tickets WHERE ticket_id > %(after)s ORDER BY ticket_id LIMIT 100",
        lambda history, tickets: read_tickets(history, WordWeights(history).weigh, tickets),
        lambda kept: kept.tickets,
    ),
    Part(
        "SELECT phenomenon_id AS key FROM phenomena WHERE phenomenon_id > %(after)s ORDER BY phenomenon_id LIMIT 200",
        lambda history, phenomena: read_phenomena(history, WordWeights(history).weigh, phenomena),
        lambda kept: kept.phenomena,
        lambda kept: kept.phenomena.complete(),
    ),
    Part(
        "SELECT phenomenon_id AS key FROM phenomena WHERE phenomenon_id > %(after)s ORDER BY phenomenon_id LIMIT 400",
        read_holders,
        lambda kept: kept.holders,
        lambda kept: kept.holders.complete(),
    ),
    Part(
        _WORDS + " 50",
        lambda history, words: history.kept.ticket_words.read(history.connection, words),
        lambda kept: kept.ticket_words,
    ),
    Part(
        _WORDS + " 50",
        lambda history, words: history.kept.phenomenon_words.read(history.connection, words),
        lambda kept: kept.phenomenon_words,
    ),
)
"""Slices that take some 5 ms each."""


def read_ahead(db: Database, model: str | None, *, settled_s: float = 0.0) -> bool:
    """Read the next slice of the history as it is now, with the vectors of this model. One thread of a process at a time.

    False: nothing is left to read, or there is no room for it, or this process has never searched the history, or it has
    changed within the last `settled_s` seconds, as it does again and again while tickets are imported.
    """
    if not is_kept(db, model):
        return False
    with snapshot(db, model) as history:
        place = history.kept.ahead
        if monotonic() - place.since < settled_s:
            return False
        while place.part < len(PARTS):
            if _read_slice(history, PARTS[place.part], place):
                return True
            place.part, place.after = place.part + 1, ""
    return False


def _read_slice(history: Snapshot, part: Part, place: Place) -> bool:
    """Whether there was one, and room for it."""
    if not part.kept(history.kept).has_room:
        return False
    keys = [row["key"] for row in history.connection.execute(part.keys, {"after": place.after})]
    if not keys:
        part.complete(history.kept)
        return False
    part.read(history, keys)
    place.after = keys[-1]
    return True
