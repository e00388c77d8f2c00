"""The catalogue as jobs use it: found by questions, read by names, as one owner sees it."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import psycopg

from contracts.base import clean_text
from contracts.catalogue import CatalogueNode, EdgeKind, KnownQuery, LineageEdge, NodeEdge, NodeKind, Passage
from contracts.pointers import MOST_POINTERS, POINTER_CAP, AnyPointer
from contracts.queries import QueryPlan
from contracts.statements import Code, Count, Name, say
from contracts.tables import JoinPath, TableDetail
from workers.blackboard.engine import Database, Row
from workers.catalogue.access import Access, read_access
from workers.catalogue.corpora import VECTOR_KINDS
from workers.catalogue.embedding import embed_catalogue
from workers.catalogue.forms.query_nodes import confirmed_nodes, query_key
from workers.catalogue.joins import find_joins
from workers.catalogue.lineage import lineage_queries, read_lineage
from workers.catalogue.nodes import OWN, node_id
from workers.catalogue.pointers import POINTED, pointer
from workers.catalogue.reading import read_passages, read_queries, read_tables, table_id, visible_queries
from workers.catalogue.search import Hit, find
from workers.catalogue.store import import_items, take_back
from workers.catalogue.terms import Terms, read_terms
from workers.engines.definitions.definition import Definition
from workers.errors import ConfigurationError, EngineError, InvalidInput, NotFound
from workers.llm.embedder import Embedder
from workers.loggers import get_logger
from workers.retrieval.embedding import searchable
from workers.retrieval.meaning import Meaning, understand

Connection = psycopg.Connection[Row]

log = get_logger(__name__)

_EMBED_S = 2.0
"""Seconds that the vector of a confirmed query may take; later the fleet makes it."""


def _origin(place: str) -> str:
    """Of what users have confirmed of a query."""
    return f"confirmed:{place}"


class Catalogue:
    """What is known of the users' data. Share it between threads.

    `owner` is the owner of the job that asks: what they may not query is not shown. None is an operator, who sees everything.
    """

    def __init__(self, db: Database, embedder: Embedder | None) -> None:
        self._db = db
        self._embedder = embedder

    def search(
        self,
        question: str,
        *,
        owner: str | None,
        source: str | None = None,
        kinds: Collection[NodeKind] | None = None,
        limit: int = MOST_POINTERS,
    ) -> tuple[AnyPointer, ...]:
        """What bears on a question, best first. `source`: only what belongs to this source or to none. Tags have no pointers: they
        lead to tables."""
        if not 1 <= limit <= POINTER_CAP:
            raise InvalidInput.of(say("refused.search.most", most=Count(value=POINTER_CAP), asked=Count(value=limit, exact=True)))
        wanted = POINTED.intersection(kinds) if kinds is not None else POINTED
        return tuple(pointer(hit) for hit in self._find(question, owner, source, wanted)[:limit])

    def _find(self, question: str, owner: str | None, source: str | None, kinds: Collection[NodeKind]) -> list[Hit]:
        question = clean_text(question).strip()[:10_000]
        if not question:
            return []
        meaning = self._meaning(question)
        with self._db.session() as connection, connection.transaction():
            access = read_access(connection, owner)
            return find(connection, access, question, meaning, clean_text(source), frozenset(kinds))

    def table(self, source: str, full_name: str, *, owner: str | None) -> TableDetail | None:
        """A table by its full name, or by its name alone where only one schema has it. None: it is not there, or not for this owner."""
        with self._db.session() as connection:
            found = table_id(connection, source, full_name)
            return read_tables(connection, read_access(connection, owner), [found]).get(found) if found else None

    def tables(self, source: str, *, owner: str | None, limit: int | None = None) -> tuple[TableDetail, ...]:
        """All tables of a source, or the first ones, by their full names."""
        with self._db.session() as connection:
            rows = connection.execute(
                "SELECT node_id FROM catalogue_nodes WHERE source = %(source)s AND kind = 'table' AND gone_at IS NULL"
                " ORDER BY key LIMIT %(limit)s",
                {"source": clean_text(source), "limit": limit},
            ).fetchall()
            found = read_tables(connection, read_access(connection, owner), [row["node_id"] for row in rows])
        return tuple(sorted(found.values(), key=lambda table: table.full_name))

    def tags(self, source: str) -> dict[str, frozenset[str]]:
        """Tag, casefolded → full names of the tables of a source that have it."""
        found: dict[str, set[str]] = {}
        rows = self._db.statement(
            "SELECT n.key, t.key AS tag FROM catalogue_edges e JOIN catalogue_nodes n ON n.node_id = e.from_id"
            " JOIN catalogue_nodes t ON t.node_id = e.to_id WHERE e.kind = 'tagged' AND n.source = %(source)s AND n.kind = 'table'"
            " AND n.gone_at IS NULL",
            {"source": clean_text(source)},
        )
        for row in rows:
            found.setdefault(str(row["tag"]).casefold(), set()).add(str(row["key"]))
        return {tag: frozenset(tables) for tag, tables in found.items()}

    def knows(self, source: str) -> bool:
        """Whether anything of the source's tables was imported."""
        query = "SELECT 1 FROM catalogue_nodes WHERE source = %(source)s AND kind = 'table' AND gone_at IS NULL LIMIT 1"
        return self._db.row(query, {"source": source}) is not None

    def joins(self, source: str, tables: Sequence[str], *, owner: str | None) -> tuple[JoinPath, ...]:
        """How rows of these tables belong together, for each pair the strongest evidence first."""
        with self._db.session() as connection:
            ids = [found for name in tables[:100] if (found := table_id(connection, source, name))]
            return find_joins(connection, read_access(connection, owner), ids)

    def terms(self, source: str, *, owner: str | None) -> Terms:
        """What terms and metrics mean, and which tables and columns they are other names of."""
        with self._db.session() as connection:
            return read_terms(connection, read_access(connection, owner), clean_text(source))

    def definitions(self, place: str, *, owner: str | None, chosen_by: str | None = None) -> tuple[Definition, ...]:
        """What a metric or term means, by its place `shop.revenue`: what the owner (or `chosen_by`) chose first, then what each origin
        says. Empty: nothing that this owner may see."""
        place = clean_text(place)
        with self._db.session() as connection:
            rows = connection.execute(
                "SELECT DISTINCT source FROM catalogue_nodes WHERE kind IN ('metric', 'term') AND gone_at IS NULL"
                " AND (source || '.' || key = %(place)s OR source = '' AND key = %(place)s)",
                {"place": place},
            ).fetchall()
            access = read_access(connection, owner)
            found = (each for row in rows for each in read_terms(connection, access, row["source"], chosen_by=chosen_by).definitions)
            return tuple(dict.fromkeys(each for each in found if each.place == place))

    def passages(self, question: str, *, owner: str | None, source: str | None = None, limit: int = 5) -> tuple[Passage, ...]:
        """The sections of documents that bear on a question, with their texts; and terms, with their definitions."""
        return self._passages(self._find(question, owner, source, {NodeKind.DOCUMENT, NodeKind.TERM})[:limit], owner)

    def has_documents(self, *, owner: str | None) -> bool:
        """Whether documents were imported that the owner may read; Bullpen's own do not count."""
        with self._db.session() as connection:
            access = read_access(connection, owner)
            rows = connection.execute("SELECT sources FROM catalogue_origins WHERE origin LIKE 'documents:%'").fetchall()
        return any(source != OWN and access.sees(source) for row in rows for source in row["sources"])

    def own_passages(self, question: str, *, limit: int = 5) -> tuple[Passage, ...]:
        """The sections of Bullpen's own documents that bear on a question. Everybody may read them."""
        return self._passages(self._find(question, None, OWN, {NodeKind.DOCUMENT})[:limit], None)

    def ranked_by(self, question: str) -> str:
        """The model that ranks what a search for this question finds; empty: words alone do. Each has a scale of scores of its own."""
        meaning = self._meaning(question)
        return meaning.model if meaning is not None else ""

    def searches_by_meaning(self) -> bool:
        """Whether the vectors of what is searched are there. True where there is no embedder, since then nothing is to come."""
        return self._embedder is None or searchable(self._db, self._embedder, VECTOR_KINDS) is not None

    def _meaning(self, question: str) -> Meaning | None:
        return understand(searchable(self._db, self._embedder, VECTOR_KINDS), question, role="question")

    def _passages(self, hits: Sequence[Hit], owner: str | None) -> tuple[Passage, ...]:
        with self._db.session() as connection:
            access = read_access(connection, owner)
            scores, shares = {hit.id: hit.score for hit in hits}, {hit.id: hit.share for hit in hits}
            return tuple(read_passages(connection, access, [hit.id for hit in hits], scores, shares))

    def queries(self, question: str, source: str | None, *, owner: str | None, limit: int = 5) -> tuple[KnownQuery, ...]:
        """Queries that were run before or confirmed, and bear on a question. Confirmed ones come first where they fit as well."""
        hits = self._find(question, owner, source, {NodeKind.QUERY})[:limit]
        with self._db.session() as connection:
            access = read_access(connection, owner)
            return tuple(read_queries(connection, access, [hit.id for hit in hits], {hit.id: hit.score for hit in hits}))

    def document(self, place: str, *, owner: str | None) -> Passage | None:
        """A section of a document, or a term, by its place."""
        with self._db.session() as connection:
            return next(iter(read_passages(connection, read_access(connection, owner), [clean_text(place)], {})), None)

    def query(self, place: str, *, owner: str | None) -> KnownQuery | None:
        """A known query by its place."""
        with self._db.session() as connection:
            return next(iter(read_queries(connection, read_access(connection, owner), [clean_text(place)], {})), None)

    def confirm(
        self, question: str, sql: str, tables: Sequence[str], *, source: str, owner: str, plan: QueryPlan | None = None
    ) -> KnownQuery:
        """Keep a query that a user confirmed as the answer to a question, as an example for later ones. `tables`: full names. `plan`: of
        which it was made; by it the question is answered again, also with another time, value or number."""
        if not question.strip() or not sql.strip():
            raise InvalidInput.of(say("refused.catalogue.example"))
        with self._db.session() as connection:
            if not read_access(connection, owner).sees(source):
                raise NotFound.of(say("refused.catalogue.no_source", source=Name(text=source)))
        items = list(confirmed_nodes(source, question, sql, tables, owner=owner, at=datetime.now(UTC), plan=plan))
        place = node_id(NodeKind.QUERY, source, query_key(sql))
        import_items(self._db, _origin(place), items)
        if self._embedder is not None:
            try:
                embed_catalogue(self._db, self._embedder, at_most_s=_EMBED_S)
            except (EngineError, ConfigurationError) as error:
                log.warning("vectors_missing", reason=str(error))
        found = self.query(place, owner=None)
        if found is None:
            raise NotFound.of(say("refused.catalogue.example_gone"))
        return found

    def unconfirm(self, question: str, sql: str, *, source: str, owner: str) -> None:
        """Withdraw a query as the answer to a question, where one who may see it was its example until now."""
        place = node_id(NodeKind.QUERY, source, query_key(sql))
        known = self.query(place, owner=owner)
        if known is not None and known.confirmed and known.question == question.strip():
            take_back(self._db, _origin(place))

    def lineage(self, source: str, name: str, *, owner: str | None, depth: int = 5) -> tuple[LineageEdge, ...]:
        """What a table or a column (`table.column`) is computed from, and what is computed from it. Raises `NotFound`."""
        with self._db.session() as connection:
            return read_lineage(connection, read_access(connection, owner), source, name, depth)

    def lineage_queries(self, source: str, table: str, *, owner: str | None, limit: int = 5) -> tuple[KnownQuery, ...]:
        """The queries that compute a table, and those that compute others from it. Raises `NotFound`."""
        with self._db.session() as connection:
            access = read_access(connection, owner)
            return tuple(read_queries(connection, access, lineage_queries(connection, access, source, table, limit), {}))

    def node(self, kind: NodeKind, source: str, key: str, *, owner: str | None) -> CatalogueNode:
        """A node with its edges and origins. Raises `NotFound`."""
        with self._db.session() as connection:
            access = read_access(connection, owner)
            return _node(connection, access, node_id(kind, source, key))


def _node(connection: Connection, access: Access, found: str) -> CatalogueNode:
    rows = connection.execute("SELECT * FROM catalogue_nodes WHERE node_id = %(id)s", {"id": found}).fetchall()
    row = rows[0] if rows else None
    if row is None or not _is_seen(connection, access, row):
        raise NotFound.of(say("refused.catalogue.no_entry", command=Code(text="bullpen catalogue search")))
    content = access.visible_table(row["source"], row["key"], row["content"]) if row["kind"] == NodeKind.TABLE else row["content"]
    edges = connection.execute(
        """
        SELECT e.kind, e.label, true AS outward, n.kind AS other_kind, n.source, n.key FROM catalogue_edges e
        JOIN catalogue_nodes n ON n.node_id = e.to_id WHERE e.from_id = %(id)s AND n.gone_at IS NULL
        UNION SELECT e.kind, e.label, false, n.kind, n.source, n.key FROM catalogue_edges e
        JOIN catalogue_nodes n ON n.node_id = e.from_id WHERE e.to_id = %(id)s AND n.gone_at IS NULL ORDER BY 1, 3, 6 LIMIT 200
        """,
        {"id": found},
    ).fetchall()
    return CatalogueNode(
        kind=NodeKind(row["kind"]),
        source=row["source"],
        key=row["key"],
        content=content or {},
        origins=tuple(sorted(row["given"])),
        gone_at=row["gone_at"],
        edges=tuple(
            NodeEdge(kind=EdgeKind(edge["kind"]), outward=edge["outward"], other_kind=NodeKind(edge["other_kind"]),
                     other_source=edge["source"], other=edge["key"], label=edge["label"])
            for edge in edges if access.owner is None
        ),
    )  # fmt: skip


def _is_seen(connection: Connection, access: Access, row: Row) -> bool:
    if not access.sees(row["source"]):
        return False
    if row["kind"] == NodeKind.TABLE:
        return access.visible_table(row["source"], row["key"], row["content"]) is not None
    if row["kind"] == NodeKind.QUERY:
        return bool(visible_queries(connection, access, [row]))
    return access.of(row["source"]) is None or row["parent"] is None
