"""The systems of the installation, and which of them an incident is about."""

import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from pydantic import ValidationError

from contracts.checks import Sensor, System
from contracts.sources import SourceKind
from contracts.statements import Name, code, listing, passage, say
from contracts.statements import name as identifier
from workers.blackboard.engine import Database, jsonb
from workers.checks.library import library
from workers.engines.promql import PromQLSyntaxError, parse_matchers, print_matchers
from workers.errors import Conflict, InvalidInput, NotFound
from workers.logs import get_log
from workers.prometheus import get_metrics
from workers.sources import get_source

_WORD = re.compile(r"[A-Za-z0-9_.=:/@-]+")
"""What names a host, a service or a label with its value; Chinese and punctuation end it."""
_EDGES = ".:-/="


def read_sensor(text: str, kinds: Collection[str]) -> Sensor:
    """A sensor as it is typed: `tos`, `loki:tos`, `tos{app="orders"}`. Raises `InvalidInput`."""
    head, brace, rest = text.partition("{")
    kind, _, named = head.strip().rpartition(":")
    if kind and kind not in kinds:
        known = listing(*(identifier(each) for each in sorted(kinds)))
        raise InvalidInput.of(say("check.refused.sensor_kind", given=passage(text[:80]), kinds=known))
    try:
        return Sensor(name=named, matchers=parse_matchers(brace + rest) if brace else ())
    except PromQLSyntaxError as error:
        raise InvalidInput.of(say("check.refused.selector", given=passage(text[:200]), reason=error.what)) from None
    except ValidationError:
        raise InvalidInput.of(say("check.refused.sensor", given=passage(text[:80]))) from None


def sensor_text(sensor: Sensor) -> str:
    """As `read_sensor` reads it."""
    return sensor.name + (print_matchers(sensor.matchers) if sensor.matchers else "")


def add_system(db: Database, system: System) -> System:
    """Keep a system. Raises `Conflict`, `NotFound` for a sensor that there is not, and `InvalidInput` for a source of an engine without
    checks."""
    if system.source is not None:
        _check_source(db, system.source)
    if system.logs is not None:
        get_log(db, system.logs.name)
    if system.metrics is not None:
        get_metrics(db, system.metrics.name)
    row = db.row(
        "INSERT INTO systems (name, source, logs, metrics, match, owners) "
        "VALUES (%(name)s, %(source)s, %(logs)s, %(metrics)s, %(match)s, %(owners)s) ON CONFLICT (name) DO NOTHING RETURNING name",
        {
            "name": system.name, "source": system.source, "match": list(system.match), "owners": list(system.owners),
            "logs": None if system.logs is None else jsonb(system.logs.to_json()),
            "metrics": None if system.metrics is None else jsonb(system.metrics.to_json()),
        },
    )  # fmt: skip
    if row is None:
        remove = code(f"bullpen system remove {system.name}")
        raise Conflict.of(say("check.refused.there", system=Name(text=system.name), command=remove))
    return system


def _check_source(db: Database, name: str) -> None:
    source = get_source(db, name)
    if not library(source.kind):
        engines = listing(*(identifier(kind.value) for kind in SourceKind if library(kind)))
        raise InvalidInput.of(say("check.refused.no_library", source=Name(text=source.name), kind=Name(text=source.kind), engines=engines))


def list_systems(db: Database, owner: str | None = None) -> list[System]:
    """All, or those that are looked at for an owner; by name."""
    rows = db.statement(
        "SELECT name, source, logs, metrics, match, owners FROM systems "
        "WHERE %(owner)s::text IS NULL OR owners = '{}' OR %(owner)s = ANY (owners) ORDER BY name",
        {"owner": owner},
    )
    return [System.model_validate(row) for row in rows]


def get_system(db: Database, name: str) -> System:
    """Raises `NotFound`."""
    row = db.row("SELECT name, source, logs, metrics, match, owners FROM systems WHERE name = %(name)s", {"name": name})
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
