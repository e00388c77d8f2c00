"""The catalogue: the kinds of its nodes and edges, what an import reports, and what is read from it beside tables and pointers."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field, NonNegativeInt

from contracts.base import Contract, Text
from contracts.queries import QueryPlan
from contracts.statements import Sayable


class NodeKind(StrEnum):
    """What a node is."""

    TABLE = "table"
    COLUMN = "column"
    VALUE_DOMAIN = "value_domain"
    METRIC = "metric"
    TAG = "tag"
    QUERY = "query"
    DOCUMENT = "document"
    TERM = "term"


class EdgeKind(StrEnum):
    """What a node has to do with another. A node that contains others is their parent, which needs no edge."""

    REFERENCES = "references"
    """A table may be joined to a table; a query reads a table."""
    DERIVES = "derives"
    """A table or column is computed from another: from the result to what it is made of."""
    MEASURES = "measures"
    """A metric is computed from a table or column."""
    ANSWERS = "answers"
    """A document or a query says something about a table."""
    TAGGED = "tagged"
    SYNONYM = "synonym"
    """A term is another name of a term, table, column or metric."""


class KindCounts(Contract):
    """What an import did with the nodes of one kind."""

    new: NonNegativeInt = 0
    changed: NonNegativeInt = 0
    unchanged: NonNegativeInt = 0
    gone: NonNegativeInt = 0
    """Nodes that this origin no longer has and no other origin has either. They are marked, not deleted."""


class CatalogueProblem(Contract):
    """A part of what was imported that could not be taken."""

    place: Text
    """File and line, table, or statement."""
    reason: Sayable


class CatalogueReport(Contract):
    """What an import did."""

    origin: Text
    sources: tuple[Text, ...]
    kinds: dict[NodeKind, KindCounts]
    edges: NonNegativeInt = 0
    """Edges that this origin has now."""
    problems: tuple[CatalogueProblem, ...] = ()
    encodings: dict[Text, Text] = {}
    """Files that are not UTF-8 and do not say their encoding → the one in which they were read."""
    waiting: NonNegativeInt = 0
    """Texts that have no vector yet; they are found by their words."""
    duration_s: float = 0.0


class Passage(Contract):
    """A section of a document with its text."""

    place: Text
    """As `get_document` takes it."""
    title: Text
    heading: Text = ""
    """The headings above it, the outermost first, joined by ` > `."""
    text: Text
    path: Text = ""
    """The file that it is from, as it was imported. Empty for a term."""
    others: tuple[Text, ...] = ()
    """Other names of a term."""
    source: Text = ""
    """The source that it belongs to; empty: to none, or to all."""
    score: float = Field(ge=0, le=1)
    share: float = Field(default=1.0, ge=0, le=1)
    """Part of the question's words that it has, by their worth."""


class KnownQuery(Contract):
    """A query that was run before, or that a user confirmed."""

    place: Text
    """As `get_query` takes it."""
    source: Text
    sql: Text
    question: Text = ""
    """What it answers, where somebody said so."""
    confirmed: bool = False
    """A user said that it answers the question."""
    plan: QueryPlan | None = None
    """The query plan of which the confirmed statement was made; None: somebody wrote it."""
    tables: tuple[Text, ...] = ()
    """Full names of the tables that it reads."""
    columns: tuple[Text, ...] = ()
    """`table.column` for the columns that it reads."""
    joins: tuple[Text, ...] = ()
    filters: tuple[Text, ...] = ()
    target: Text = ""
    """The table that it writes; empty: none."""
    runs: NonNegativeInt = 1
    """How often it was run."""
    score: float = Field(default=1.0, ge=0, le=1)


class LineageEdge(Contract):
    """A table or column, and one that it is computed from."""

    result: Text
    origin: Text
    distance: int
    """Steps from what was asked about. Negative: it is computed from that; positive: that is computed from it."""
    queries: tuple[Text, ...] = ()
    """Hashes of the scripts that say so."""


class CatalogueNode(Contract):
    """A node with all that is known of it."""

    kind: NodeKind
    source: Text
    key: Text
    content: dict[str, object]
    origins: tuple[Text, ...]
    gone_at: datetime | None = None
    edges: tuple["NodeEdge", ...] = ()


class NodeEdge(Contract):
    """An edge of a node, seen from it."""

    kind: EdgeKind
    outward: bool
    """True: from this node to the other."""
    other_kind: NodeKind
    other_source: Text
    other: Text
    label: Text = ""
