"""Nodes and edges as an import makes them, and how a node is made of what several origins say of it."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from contracts.base import Json
from contracts.catalogue import EdgeKind, NodeKind

DEFINED = "defined"
"""The form of what a user says a word means, in answer to a result."""

CHOSEN = "chosen"
"""The form of what an owner chose among the definitions of a word. It says nothing of the node itself."""

FURTHER = "further"
"""In what an origin says of a metric or term: the other definitions that it has of the same name."""

STRUCTURE = (DEFINED, "source", "dbt", "ddl", "tables", "queries")
"""Forms whose word counts most for what a database has: types, keys, counts. The first that says something is believed."""

DESCRIPTION = (DEFINED, "tables", "dbt", "ddl", "source", "queries")
"""Forms whose word counts most for what something means: what people wrote for readers comes before comments in a database."""

DESCRIBING = frozenset({"description", "tags", "unit", "definition_text", "synonyms"})
"""Fields that mean something to people; all others are structure."""


OWN = "bullpen-docs"
"""In the place of a source: Bullpen's own documents. No source can have this name: a hyphen is not allowed there."""


def node_id(kind: NodeKind, source: str, key: str) -> str:
    """The id of a node. 80 bits of a digest: among ten million nodes, two with one id are not to be expected."""
    return hashlib.sha256(f"{kind}\x00{source}\x00{key}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class Node:
    """What an import says of a node."""

    kind: NodeKind
    source: str
    key: str
    content: Json
    """Fields that are empty or null are left out: they say nothing."""
    parent: str | None = None

    @property
    def id(self) -> str:
        """See `node_id`."""
        return node_id(self.kind, self.source, self.key)


@dataclass(frozen=True, slots=True)
class Edge:
    """What an import says of two nodes."""

    kind: EdgeKind
    start: str
    """Id of a node."""
    end: str
    source: str
    label: str = ""
    content: Mapping[str, Any] = field(default_factory=dict[str, Any])


def with_further(first: Node, other: Node) -> Node:
    """A metric or term of which an origin has two definitions: none of them is lost."""
    own: Json = {name: value for name, value in other.content.items() if name in _DEFINING}
    known = [{name: value for name, value in first.content.items() if name in _DEFINING}, *first.content.get(FURTHER, ())]
    further = {FURTHER: [*first.content.get(FURTHER, ()), own]} if own and own not in known else {}
    synonyms = list(dict.fromkeys([*first.content.get("synonyms", ()), *other.content.get("synonyms", ())]))
    return replace(first, content={**first.content, **further, **({"synonyms": synonyms} if synonyms else {})})


_DEFINING = frozenset({"formula", "restriction", "description"})


def form_of(origin: str) -> str:
    """The form in an origin's name: `ddl:/data/schema.sql` is `ddl`."""
    return origin.partition(":")[0]


def join_given(given: Mapping[str, Json]) -> Json:
    """What is known of a node, from what its origins say: each field from the origin that is believed first."""
    given = {origin: content for origin, content in given.items() if form_of(origin) != CHOSEN}
    if len(given) == 1:
        return dict(next(iter(given.values())))
    joined: Json = {}
    for order, wanted in ((STRUCTURE, False), (DESCRIPTION, True)):
        for origin in _in_order(given, order):
            for name, value in given[origin].items():
                if (name in DESCRIBING) is wanted:
                    joined.setdefault(name, value)
    return joined


def in_order_of_belief(given: Iterable[str]) -> list[str]:
    """The origins that say what something means, the one that is believed first before the others."""
    return _in_order((origin for origin in given if form_of(origin) != CHOSEN), DESCRIPTION)


def _in_order(given: Iterable[str], order: tuple[str, ...]) -> list[str]:
    return sorted(given, key=lambda origin: (order.index(form) if (form := form_of(origin)) in order else len(order), origin))


def says(**fields: Any) -> Json:
    """A content without the fields that say nothing."""
    return {name: value for name, value in fields.items() if value is not None and value != "" and value != () and value != []}
