"""How people name systems: in full, by the beginning of a name, by what hosts' names begin with, by the number in a list."""

import re
from collections.abc import Iterable, Mapping, Sequence

from workers.kinds.diagnose.rules.answers.systems import is_product, products_in

LEAST_NAME = 3
_PART = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")
_NAME = re.compile(r"[A-Za-z\u4e00-\u9fff][\w.+-]*(?: [\w.+-]+){0,2}")
_NO_NAME = re.compile(
    r"\b(?:yes|no|none|not|don'?t|know|unknown|unsure|sure|idea|other|another|neither|maybe|all|both|any)\b"
    r"|不|没|都|其他|别的|未知|也许",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:第|no\.?|number|option|选|#)?\s*(\d{1,2})\s*(?:个|项|是|yes)?[.)。]?")
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
    whole = sorted(((other, name) for name, others in aliases.items() for other in others if other), key=lambda pair: (-len(pair[0]), pair))
    found: set[str] = set()
    rest = plain
    for other, name in whole:
        if other in rest:
            found.add(name)
            rest = rest.replace(other, " ")
    return found | {name for name, others in aliases.items() if any(_says_part(rest, other) for other in others)}


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


def named_system(names: Sequence[str], answer: str, aliases: Mapping[str, Iterable[str]] | None = None) -> str | None:
    """The system that an answer to "which system?" means: by its number in the list or by its name; None: none of them. `aliases`: further
    names in small letters, by system."""
    plain = answer.strip().casefold()
    if listed := _LISTED.fullmatch(plain):
        return names[int(listed[1]) - 1] if 0 < int(listed[1]) <= len(names) else None
    found = names_in(plain, {name: {name.casefold(), *(aliases or {}).get(name, ())} for name in names})
    return found.pop() if len(found) == 1 else None


def number_beyond(names: Sequence[str], answer: str) -> str:
    """The number that an answer names of a list of systems, where the list is shorter; empty where it says anything else."""
    listed = _LISTED.fullmatch(answer.strip().casefold())
    return listed[1] if listed and not 0 < int(listed[1]) <= len(names) else ""


def system_meant(names: Sequence[str], answer: str) -> str:
    """The system that an answer means, or the answer itself where it may be the name of a system that was not offered; empty where it
    says none."""
    plain = answer.strip().strip(".!。！")
    if (found := named_system(names, answer)) is not None:
        return found
    if _NAME.fullmatch(plain) and not _NO_NAME.search(plain):
        return plain
    return next(iter(products_in(answer)), "")
