"""Entries that a coordinator holds in memory, in the order in which they should be taken: of each owner in turn the most urgent."""

from dataclasses import dataclass, field
from heapq import heappop, heappush

from workers.app.entries import Entry, whose

OVERHEAD_BYTES = 640
"""What an entry takes beside its body: the object, its names, its places in two heaps. Measured: 525 bytes with all names."""
UNREADABLE = ("", 0)
"""The owner of all bodies that cannot be read: they go to quarantine when their turn comes."""


@dataclass(slots=True)
class _Owner:
    turn: int
    """The round in which the next entry of this owner is taken."""
    entries: list[tuple[int, int, Entry]] = field(default_factory=list[tuple[int, int, Entry]])
    """A heap: the negative priority, the number of arrival, the entry."""


class Waiting:
    """Holds up to `most` entries of up to `most_bytes` together. One that comes anyway is held too: the caller asks `is_full` first."""

    def __init__(self, *, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._owners: dict[str, _Owner] = {}
        self._next: list[tuple[int, int, int, str]] = []
        """A heap of the owners: turn, negative priority, number of arrival. What is no longer an owner's first entry is passed over."""
        self._round = self._arrived = self._count = self._bytes = 0

    def __len__(self) -> int:
        return self._count

    @property
    def is_full(self) -> bool:
        """Whether no more should be added."""
        return self._count >= self._most or self._bytes >= self._most_bytes

    def add(self, entry: Entry) -> None:
        """Hold this one. An owner who has nothing here joins the round that is going on."""
        name, priority = whose(entry.body) or UNREADABLE
        owner = self._owners.setdefault(name, _Owner(self._round))
        self._arrived += 1
        self._count += 1
        self._bytes += len(entry.body) + OVERHEAD_BYTES
        heappush(owner.entries, (-priority, self._arrived, entry))
        if owner.entries[0][1] == self._arrived:
            heappush(self._next, (owner.turn, -priority, self._arrived, name))

    def take(self, count: int) -> list[Entry]:
        """Up to this many, which are no longer held."""
        taken: list[Entry] = []
        while self._next and len(taken) < count:
            turn, _, arrived, name = heappop(self._next)
            owner = self._owners.get(name)
            if owner is None or owner.turn != turn or owner.entries[0][1] != arrived:
                continue
            entry = heappop(owner.entries)[2]
            taken.append(entry)
            self._round, owner.turn = turn, turn + 1
            self._count -= 1
            self._bytes -= len(entry.body) + OVERHEAD_BYTES
            if owner.entries:
                heappush(self._next, (owner.turn, *owner.entries[0][:2], name))
            else:
                del self._owners[name]
        return taken
