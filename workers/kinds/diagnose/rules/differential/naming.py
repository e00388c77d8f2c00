"""How people name systems: in full, by the beginning of a name, by what hosts' names begin with."""

import re
from collections.abc import Iterable, Mapping, Sequence

from workers.kinds.diagnose.rules.products import is_product, names_of

LEAST_NAME = 3
_PART = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")
_ANYTHING = re.compile(
    r"prod(?:uction)?|prd|dev|te?st|stag(?:e|ing)|uat|qa|live|app|web|srv|svc|server|host|node|vm|db|dc|eu|us|cn|api|new|old"
)
"""First parts of hosts' names that say where they are, and not what."""
_COMPONENT = re.compile(
    r".+[ _-](?:connect|registry|rest|ksql|streams?|mirror(?:maker)?|exporter|operator|proxy|router|gateway|bouncer|backup|manager|"
    r"scheduler|ui|dashboard)(?:[ _-].*)?"
)
"""Names of a thing beside a product, which has troubles of its own: Kafka Connect is not the brokers."""


def names_in(plain: str, aliases: Mapping[str, Iterable[str]]) -> set[str]:
    """The systems that a text names, in small letters. Whole names count first, the longest of them, so that `sqlprod02` does not name
    `sqlprod01` by its beginning; the rest of the text is then searched for parts of names."""
    found, rest = whole_names_in(plain, aliases)
    return found | {name for name, others in aliases.items() if any(_says_part(rest, other) for other in others)}


def whole_names_in(plain: str, aliases: Mapping[str, Iterable[str]]) -> tuple[set[str], str]:
    """The systems of which a text has a whole name, and the text without these names. A part of a name may be another word."""
    whole = sorted(((other, name) for name, others in aliases.items() for other in others if other), key=lambda pair: (-len(pair[0]), pair))
    found: set[str] = set()
    rest = plain
    for other, name in whole:
        if other in rest and (is_long(other) or re.search(rf"(?<![a-z0-9]){re.escape(other)}(?![a-z0-9])", rest)):
            found.add(name)
            rest = rest.replace(other, " ") if is_long(other) else rest
    return found, rest


def is_long(name: str) -> bool:
    """Whether a name can be looked for within words: "dm" is in too many."""
    return len(name) > LEAST_NAME or not name.isascii()


def _says_part(plain: str, name: str) -> bool:
    """Whether a text names a system by the beginning of its name ("elastic" for Elasticsearch), or by what its hosts' names begin
    with: `ora-core` by "Oracle" and "ORA-01555"."""
    fleet = fleet_of(name)
    if len(fleet) >= LEAST_NAME and any(word == fleet or (word.startswith(fleet) and is_product(word)) for word in _PART.findall(plain)):
        return True
    return any(len(part) > LEAST_NAME and name.startswith(part) and 2 * len(part) >= len(name) for part in _PART.findall(plain))


def fleet_of(name: str) -> str:
    """What comes before the first dash of a host's name, if it says what the host is: `es` of `es-logs`. A component has none."""
    first, dash, _ = name.partition("-")
    return first if dash and not _ANYTHING.fullmatch(first) and not is_component(name) else ""


def is_component(name: str) -> bool:
    """Whether a name is that of a thing beside a product: `kafka-connect`."""
    return _COMPONENT.fullmatch(name) is not None


def named_system(names: Sequence[str], word: str, aliases: Mapping[str, Iterable[str]] | None = None) -> str | None:
    """The system that a person's name for one means; None: none of them, or several. `aliases`: further names in small letters, by
    system."""
    plain = word.strip().casefold()
    known = {name: {*names_of(name), *(aliases or {}).get(name, ())} for name in names}
    exact = [name for name, others in known.items() if plain in others]
    found = set(exact) or names_in(plain, known)
    return found.pop() if len(found) == 1 else None
