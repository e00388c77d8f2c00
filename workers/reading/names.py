"""Ids as people type them: whole, or the beginning or end of one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString
from uuid import UUID

from contracts.statements import Count, Join, Listing, Term, Value, code, count, lines, listing, name, passage, quote, say, term
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
    called: Term


_OWN: LiteralString = "(%(owner)s::text IS NULL OR owner = %(owner)s)"
_OF_OWN_JOB: LiteralString = (
    "(%(owner)s::text IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = {table}.job_id AND j.owner = %(owner)s))"
)


def _find(table: LiteralString, about: LiteralString, mine: LiteralString = _OWN) -> LiteralString:
    return _FIND.replace("{mine}", mine).replace("{about}", about).replace("{table}", table)


_THINGS: dict[str, _Thing] = {
    "job": _Thing(_find("jobs", "kind || ', ' || status"), "bullpen jobs", term("refused.id.job")),
    "step": _Thing(_find("steps", "stage || ', ' || status", _OF_OWN_JOB), "bullpen show JOB", term("refused.id.step")),
    "session": _Thing(_find("sessions", "owner"), "bullpen session list", term("refused.id.session")),
    "quarantine entry": _Thing(
        _find("quarantine", "cause || ', ' || state", _OF_OWN_JOB), "bullpen quarantine list", term("refused.id.entry")
    ),
}


def find_id(db: Database, text: str, *things: str, owner: str | None = None) -> UUID:
    """The id of a `job`, `step`, `session` or `quarantine entry`, given whole, or by six or more characters of its beginning or end.
    A whole id is not looked up. `owner`: only among what belongs to them. Raises `InvalidInput`, also when several fit, or
    `NotFound`."""
    plain = typed_id(text, *things)
    if len(plain) == WHOLE:
        return UUID(plain)
    found: list[Row] = []
    for thing in things:
        found += db.statement(_THINGS[thing].find, {**_bounds(plain), "owner": owner})
    if len(found) == 1:
        return found[0]["id"]
    if not found:
        command = code(_THINGS[things[0]].listed_by)
        raise NotFound.of(say("refused.id.none", thing=_called(things), text=name(text), command=command))
    listed = listing(*(passage(f"  {row['id']} ({row['about']})") for row in found[:LISTED]), join=Join.LINES)
    if len(found) > LISTED:
        n: Value = say("refused.id.more_than", n=Count(value=LISTED))
    else:
        n = Count(value=len(found))
    raise InvalidInput.of(lines(say("refused.id.several", text=name(text), n=n, thing=_called(things)), *listed.items))


def typed_id(text: str, *things: str) -> str:
    """The hexadecimal digits of an id, or of its beginning or end, as somebody typed it. Raises `InvalidInput`."""
    plain = text.strip().lower().replace("-", "")
    if not re.fullmatch(r"[0-9a-f]{6,32}", plain):
        raise InvalidInput.of(say("refused.id.unreadable", text=quote(text[:80]), thing=_called(things), least=count(LEAST_CHARACTERS)))
    return plain


def _called(things: Sequence[str]) -> Listing:
    return listing(*(_THINGS[thing].called for thing in things), join=Join.OR)


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
