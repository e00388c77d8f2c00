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
WHOLE = 32
"""Hexadecimal digits of an id."""

_FIND: LiteralString = """
SELECT id, about FROM (
  SELECT id, {about} AS about FROM {table} WHERE id >= %(first)s AND id <= %(last)s AND {mine}
  UNION
  SELECT id, {about} AS about FROM {table}
   WHERE reverse(right(id::text, 12)) ~>=~ %(tail)s AND reverse(right(id::text, 12)) ~<~ %(after_tail)s
     AND right(replace(id::text, '-', ''), %(length)s) = %(typed)s AND {mine}) found
 ORDER BY id DESC LIMIT 11
"""


@dataclass(frozen=True, slots=True)
class _Thing:
    """What an id may name: where its rows are, and where a user finds the ids."""

    find: LiteralString
    listed_by: str


_OWN: LiteralString = "(%(owner)s::text IS NULL OR owner = %(owner)s)"
_OF_OWN_JOB: LiteralString = (
    "(%(owner)s::text IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = {table}.job_id AND j.owner = %(owner)s))"
)


def _find(table: LiteralString, about: LiteralString, mine: LiteralString = _OWN) -> LiteralString:
    return _FIND.replace("{mine}", mine).replace("{about}", about).replace("{table}", table)


_THINGS: dict[str, _Thing] = {
    "job": _Thing(_find("jobs", "kind || ', ' || status"), "bullpen jobs"),
    "step": _Thing(_find("steps", "stage || ', ' || status", _OF_OWN_JOB), "bullpen show JOB"),
    "session": _Thing(_find("sessions", "owner"), "bullpen session list"),
    "quarantine entry": _Thing(_find("quarantine", "cause || ', ' || state", _OF_OWN_JOB), "bullpen quarantine list"),
}


THINGS = tuple(_THINGS)


def find_id(db: Database, text: str, *things: str, owner: str | None = None) -> UUID:
    """The id of a `job`, `step`, `session` or `quarantine entry`, given whole, or by six or more characters of its beginning or end.
    A whole id is not looked up. `owner`: only among what belongs to them. Raises `InvalidInput`, also when several fit, or
    `NotFound`."""
    known = " or ".join(things)
    plain = typed_id(text, *things)
    if len(plain) == WHOLE:
        return UUID(plain)
    found: list[Row] = []
    for thing in things:
        found += db.statement(_THINGS[thing].find, {**_bounds(plain), "owner": owner})
    if len(found) == 1:
        return found[0]["id"]
    if not found:
        raise NotFound(f"There is no {known} whose id begins or ends with {text}. See `{_THINGS[things[0]].listed_by}`.")
    listed = "\n".join(f"  {row['id']} ({row['about']})" for row in found[:LISTED])
    count = f"more than {LISTED}" if len(found) > LISTED else len(found)
    raise InvalidInput(f"{text} fits {count} ids of a {known}. Give more of it:\n{listed}")


def typed_id(text: str, *things: str) -> str:
    """The hexadecimal digits of an id, or of its beginning or end, as somebody typed it. Raises `InvalidInput`."""
    plain = text.strip().lower().replace("-", "")
    if not re.fullmatch(r"[0-9a-f]{6,32}", plain):
        known = " or ".join(things)
        raise InvalidInput(
            f"{text[:80]!r} is no id of a {known}: give it whole, or {LEAST_CHARACTERS} or more characters of its beginning or end."
        )
    return plain


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
