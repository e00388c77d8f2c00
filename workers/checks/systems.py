"""The systems of the installation, and which of them an incident is about."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from contracts.checks import System
from contracts.sources import SourceKind
from contracts.statements import Name, code, listing, say
from contracts.statements import name as identifier
from workers.blackboard.engine import Database
from workers.checks.library import library
from workers.errors import Conflict, InvalidInput, NotFound
from workers.sources import get_source

_WORD = re.compile(r"[A-Za-z0-9_.=:/@-]+")
"""What names a host, a service or a label with its value; Chinese and punctuation end it."""
_EDGES = ".:-/="


def add_system(db: Database, system: System) -> System:
    """Keep a system. Raises `Conflict`, `NotFound` for a source that there is not, `InvalidInput` for one whose engine has no checks."""
    source = get_source(db, system.source)
    if not library(source.kind):
        engines = listing(*(identifier(kind.value) for kind in SourceKind if library(kind)))
        raise InvalidInput.of(say("check.refused.no_library", source=Name(text=source.name), kind=Name(text=source.kind), engines=engines))
    row = db.row(
        "INSERT INTO systems (name, source, match, owners) VALUES (%(name)s, %(source)s, %(match)s, %(owners)s) "
        "ON CONFLICT (name) DO NOTHING RETURNING name",
        {"name": system.name, "source": system.source, "match": list(system.match), "owners": list(system.owners)},
    )
    if row is None:
        remove = code(f"bullpen system remove {system.name}")
        raise Conflict.of(say("check.refused.there", system=Name(text=system.name), command=remove))
    return system


def list_systems(db: Database, owner: str | None = None) -> list[System]:
    """All, or those that are looked at for an owner; by name."""
    rows = db.statement(
        "SELECT name, source, match, owners FROM systems "
        "WHERE %(owner)s::text IS NULL OR owners = '{}' OR %(owner)s = ANY (owners) ORDER BY name",
        {"owner": owner},
    )
    return [System.model_validate(row) for row in rows]


def get_system(db: Database, name: str) -> System:
    """Raises `NotFound`."""
    row = db.row("SELECT name, source, match, owners FROM systems WHERE name = %(name)s", {"name": name})
    if row is None:
        raise NotFound.of(say("check.refused.no_system", system=Name(text=name[:80]), command=code("bullpen system list")))
    return System.model_validate(row)


def remove_system(db: Database, name: str) -> None:
    """Forget a system. Raises `NotFound`."""
    if db.row("DELETE FROM systems WHERE name = %(name)s RETURNING name", {"name": name}) is None:
        raise NotFound.of(say("check.refused.no_system", system=Name(text=name[:80]), command=code("bullpen system list")))


def named_in(systems: Sequence[System], text: str) -> list[System]:
    """The systems that a text names: by their names, or by a word or `label=value` of it that one of their patterns fits."""
    words = {part.strip(_EDGES).lower() for part in _WORD.findall(text)}
    return [system for system in systems if any(_fits(system, word) for word in words) or _is_written(system, text)]


def _is_written(system: System, text: str) -> bool:
    """Whether a pattern that is no word of this kind (订单, "order desk") is in a text as it is."""
    plain = text.lower()
    return any(pattern.lower() in plain for pattern in system.match if not _WORD.fullmatch(pattern.replace("*", "")) and "*" not in pattern)


def is_labelled(system: System, text: str) -> bool:
    """Whether a text names a system by a label with its value."""
    words = {part.strip(_EDGES).lower() for part in _WORD.findall(text)}
    return any("=" in word and _fits(system, word) for word in words)


def _fits(system: System, word: str) -> bool:
    return word == system.name or any(fnmatchcase(word, pattern.lower()) for pattern in system.match)
