"""What an English description of a table or a column calls it: its first noun, and what happened at a time."""

import re

_HEAD = re.compile(r"(?:the |a |an )?((?:[A-Za-z]+ ){0,2}[A-Za-z]+?)(?= (?:of|for|from|at|in|on|where|when|that|which|to|was|is|as|with|by|given|received|offering)\b|[,.(;:]|$)", re.IGNORECASE)  # fmt: skip # noqa: E501 a pattern
_NO_HEADS = frozenset({"name", "date", "number", "type", "id", "unique identifier", "foreign key", "primary key", "identifier", "time", "timestamp", "unique id", "indicates", "status"})  # fmt: skip # noqa: E501
_NO_FIRST = frozenset({"when", "indicates", "whether", "foreign", "primary", "uniquely", "unique", "number", "first", "any"})


_TIMES = frozenset({"date", "day", "time", "timestamp", "moment"})
_BETWEEN = frozenset({"of", "for", "from", "in", "at", "on"})
_IN_UNIT = re.compile(r"\s+in (?:[a-z]{1,3}|[A-Z]{3}|percent|metres|meters|kilograms|seconds|minutes|hours|days)\b.*$", re.DOTALL)


def head(description: str) -> list[str]:
    """The noun with which a description begins: `Year of manufacture`, `Vehicle identification number`, `weight in kg`."""
    match = _HEAD.match(_IN_UNIT.sub("", description))
    if match is None or match[1].lower() in _NO_HEADS:
        return []
    words = match[1].lower().split()
    is_when = words[0] in _TIMES and words[-1] != words[0]
    return [] if words[0] in _NO_FIRST or (is_when and words[1] in _BETWEEN) else words


_PER_ROW = re.compile(
    r"^(?:one|each|a|every|1) (?:row|record|line|entry)"
    r"(?: (?:is|are|per|for|represents|describes|contains|holds|each|every|one|an|a|the|single))+ ",
    re.IGNORECASE,
)


def rows(description: str) -> list[str]:
    """What a table's description calls its rows: `Shipments of orders`."""
    return _before_of(head(description))


def one_row(description: str) -> list[str]:
    """What a table's description says one row is: `One row per reservation of a room`. A row per order and day has no name."""
    opening = _PER_ROW.match(description)
    words = _before_of(head(description[opening.end() :])) if opening else []
    return [] if {"and", "or"} & set(words) else words


def _before_of(words: list[str]) -> list[str]:
    return next((words[:place] for place, word in enumerate(words) if place and word in _BETWEEN), words)


_EVENT = re.compile(
    r"^(?:the )?(?:(?:date|day|time|timestamp|moment)(?: and time)?,? (?:on which|at which|when|that)|when) (?:.*? )??"
    r"(?P<verb>[a-z]{2,}(?:ed|en|nt|ld|id|ft|ught))(?: (?P<particle>up|in|out|off|back|down))?(?=[,.;:(]|$| (?:for|by|with|to|from|at|on|and)\b)",  # noqa: E501 a pattern
    re.IGNORECASE,
)
_OF_EVENT = re.compile(r"^(?:the )?(?:date|day|time|timestamp)(?: and time)? of (?:the )?(?P<noun>[a-z]{4,}(?:ing|al|tion|sion|ure|ment|ery))(?=[,.;:(]|$)", re.IGNORECASE)  # fmt: skip # noqa: E501 a pattern
_NO_EVENTS = frozenset({"been", "need", "did"})


def event(description: str) -> tuple[str, ...]:
    """What happened at the time that a column holds: `signed up` for `date on which the customer signed up`, `delivery` for `date of
    delivery`; nothing where the description does not begin so."""
    if match := _EVENT.match(description.strip()):
        verb = match["verb"].lower()
        return () if verb in _NO_EVENTS else (verb, *([match["particle"].lower()] if match["particle"] else []))
    match = _OF_EVENT.match(description.strip())
    return (match["noun"].lower(),) if match else ()
