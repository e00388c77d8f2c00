"""Ids as people type them: whole, or the beginning or end of one."""

import re
from dataclasses import dataclass
from typing import LiteralString
from uuid import UUID

from workers.blackboard.engine import Database, Row
from workers.errors import InvalidInput, NotFound

LEAST_CHARACTERS = 6
TAIL_CHARACTERS = 12
"""Hexadecimal digits in the last group of an id: what the index over reversed ids holds."""
LISTED = 10

_FIND: LiteralString = """
SELECT id, about FROM (
  SELECT id, {about} AS about FROM {table} WHERE id >= %(first)s AND id <= %(last)s
  UNION
  SELECT id, {about} AS about FROM {table}
   WHERE reverse(right(id::text, 12)) ~>=~ %(tail)s AND reverse(right(id::text, 12)) ~<~ %(after_tail)s
     AND right(replace(id::text, '-', ''), %(length)s) = %(typed)s) found
 ORDER BY id DESC LIMIT 11
"""


@dataclass(frozen=True, slots=True)
class _Thing:
    """What an id may name: where its rows are, and where a user finds the ids."""

    find: LiteralString
    listed_by: str


def _find(table: LiteralString, about: LiteralString) -> LiteralString:
    return _FIND.replace("{about}", about).replace("{table}", table)


_THINGS: dict[str, _Thing] = {
    "job": _Thing(_find("jobs", "kind || ', ' || status"), "bullpen jobs"),
    "step": _Thing(_find("steps", "stage || ', ' || status"), "bullpen show JOB"),
    "session": _Thing(_find("sessions", "owner"), "bullpen session list"),
    "quarantine entry": _Thing(_find("quarantine", "cause || ', ' || state"), "bullpen quarantine list"),
}


def find_id(db: Database, text: str, *things: str) -> UUID:
    """The id of a `job`, `step` or `quarantine entry`, given whole, or by six or more characters of its beginning or end.
    A whole id is not looked up. Raises `InvalidInput`, also when several fit, or `NotFound`."""
    known = " or ".join(things)
    plain = text.strip().lower().replace("-", "")
    if not re.fullmatch(r"[0-9a-f]{6,32}", plain):
        raise InvalidInput(
            f"{text[:80]!r} is no id of a {known}: give it whole, or {LEAST_CHARACTERS} or more characters of its beginning or end."
        )
    if len(plain) == 32:
        return UUID(plain)
    found: list[Row] = []
    for thing in things:
        found += db.statement(_THINGS[thing].find, _bounds(plain))
    if len(found) == 1:
        return found[0]["id"]
    if not found:
        raise NotFound(f"There is no {known} whose id begins or ends with {text}. See `{_THINGS[things[0]].listed_by}`.")
    listed = "\n".join(f"  {row['id']} ({row['about']})" for row in found[:LISTED])
    count = f"more than {LISTED}" if len(found) > LISTED else len(found)
    raise InvalidInput(f"{text} fits {count} ids of a {known}. Give more of it:\n{listed}")


def _bounds(plain: str) -> dict[str, object]:
    """Ids that begin so lie between two ids; ids that end so, read backwards, between two texts."""
    tail = plain[::-1][:TAIL_CHARACTERS]
    return {
        "first": UUID(plain.ljust(32, "0")),
        "last": UUID(plain.ljust(32, "f")),
        "tail": tail,
        "after_tail": tail + "g",  # behind every hexadecimal digit
        "length": len(plain),
        "typed": plain,
    }
