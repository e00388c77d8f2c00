"""The tickets of a system that the user has named. The words of an incident may be near to none of them ("database is stuck"), and
still its cause is among theirs: each of the system's causes gets a place in the evidence."""

import re
from collections import defaultdict
from collections.abc import Sequence

import psycopg

from contracts.base import Json
from workers.blackboard.engine import Row
from workers.tickets.systems import HOST, SYSTEM, names_in

_READ = 2_000
"""Tickets whose metadata are looked at."""
_EACH = 2
"""Tickets of a cause."""
_PART = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


def read_of_system(connection: psycopg.Connection[Row], systems: Sequence[str], most_causes: int) -> list[str]:
    """Two tickets of each cause of these systems, the causes with most of such tickets first. One statement that reads all tickets: it is
    for turns after a system was named."""
    names = {name.strip().casefold() for name in systems if name.strip()}
    if not names:
        return []
    rows = connection.execute(
        """
        SELECT ticket_id, cause_id, metadata FROM tickets
        WHERE EXISTS (SELECT FROM unnest(%(names)s::text[]) AS name WHERE strpos(lower(metadata::text), name) > 0)
        ORDER BY ticket_id LIMIT %(most)s
        """,
        {"names": sorted(names), "most": _READ},
    )
    by_cause: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        if _is_of(row["metadata"], names):
            by_cause[row["cause_id"]].append(row["ticket_id"])
    first = sorted(by_cause, key=lambda cause: (-len(by_cause[cause]), cause))[:most_causes]
    return [ticket for cause in first for ticket in by_cause[cause][:_EACH]]


def _is_of(metadata: Json, names: set[str]) -> bool:
    """Whether a system or host of the ticket is one of these, or has its name as a part: `mysql-crm`."""
    own = [name.casefold() for name in (*names_in(metadata, SYSTEM)[:1], *names_in(metadata, HOST))]
    return any(name in names or not names.isdisjoint(_PART.findall(name)) for name in own)
