"""Which tickets show a phenomenon, and which show most of what is known to be there."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from workers.tickets.facts import read_holders
from workers.tickets.snapshot import Snapshot


def rank_by_phenomena(snapshot: Snapshot, shown: Iterable[str], limit: int) -> list[tuple[str, float]]:
    """The tickets that show most of these phenomena, with how many. Of those that show equally many the best of each cause
    come first, then the second ones: a cause with many tickets leaves room for the others."""
    counts: Counter[str] = Counter()
    causes: dict[str, str] = {}
    for holders in read_holders(snapshot.connection, list(shown)).values():
        counts.update(holders.tickets)
        causes.update(zip(holders.tickets, holders.causes, strict=True))
    ranked = sorted(counts, key=lambda ticket: (-counts[ticket], ticket))
    places = _places_in(causes, ranked)
    ranked.sort(key=lambda ticket: (-counts[ticket], places[ticket], ticket))
    return [(ticket, float(counts[ticket])) for ticket in ranked[:limit]]


def _places_in(causes: dict[str, str], ranked: Sequence[str]) -> dict[str, int]:
    """The place of each ticket among those of its cause."""
    seen: defaultdict[str, int] = defaultdict(int)
    places: dict[str, int] = {}
    for ticket in ranked:
        seen[causes[ticket]] += 1
        places[ticket] = seen[causes[ticket]]
    return places
