"""What is derived in the catalogue, made again from what the origins say: contents, texts, words, vectors."""

import time
from collections.abc import Callable

from contracts.base import Contract
from workers.blackboard.engine import Database, jsonb
from workers.catalogue.corpora import SOURCES, VECTOR_KINDS, take_turns
from workers.catalogue.derive import count_words, derive
from workers.catalogue.embedding import TwoTexts
from workers.catalogue.nodes import join_given
from workers.llm.embedder import Embedder
from workers.retrieval.embedding import embed_again, settle

_BATCH = 5_000


class CatalogueReindex(Contract):
    """What a reindex found."""

    nodes: int
    differed: dict[str, int]
    """What → how many were missing or not what the origins say."""
    duration_s: float


def reindex(db: Database, embedder: Embedder | None, *, progress: Callable[[str, int], None] = lambda what, done: None) -> CatalogueReindex:
    """Derive everything again. Searches go on meanwhile."""
    begun = time.monotonic()
    nodes, contents = _join_again(db, lambda done: progress("Nodes", done))
    with db.session() as connection:
        rows = connection.execute("SELECT node_id FROM catalogue_nodes WHERE kind <> 'column'").fetchall()
    texts = derive(db, [row["node_id"] for row in rows], lambda done: progress("Texts", done))
    count_words(db, nodes)
    orphans = _drop_orphans(db)
    vectors = 0
    for source in SOURCES if embedder else ():
        if embedder is not None:
            vectors += embed_again(db, TwoTexts(embedder), source, lambda done: progress("Vectors", done))[1]
    if embedder is not None:
        with db.session() as connection:
            settle(connection, embedder, SOURCES)
    differed = {"contents": contents, "texts": texts, "vectors": vectors + orphans}
    return CatalogueReindex(nodes=nodes, differed=differed, duration_s=round(time.monotonic() - begun, 3))


def _join_again(db: Database, progress: Callable[[int], None]) -> tuple[int, int]:
    """Make contents again from what the origins say; how many nodes there are, and how many differed."""
    after, done, differed = "", 0, 0
    with db.session() as connection:
        while rows := connection.execute(
            "SELECT node_id, given, content FROM catalogue_nodes WHERE node_id > %(after)s ORDER BY node_id LIMIT %(limit)s",
            {"after": after, "limit": _BATCH},
        ).fetchall():
            joined = {row["node_id"]: join_given(row["given"]) for row in rows}
            wrong = [{"id": row["node_id"], "content": joined[row["node_id"]]} for row in rows if joined[row["node_id"]] != row["content"]]
            if wrong:
                with connection.transaction():
                    take_turns(connection)
                    connection.execute(
                        "UPDATE catalogue_nodes n SET content = r.content FROM jsonb_to_recordset(%(rows)s) AS r(id text, content jsonb) "
                        "WHERE n.node_id = r.id",
                        {"rows": jsonb(wrong)},
                    )
            done, differed, after = done + len(rows), differed + len(wrong), rows[-1]["node_id"]
            progress(done)
    return done, differed


def _drop_orphans(db: Database) -> int:
    """Remove vectors of nodes that are gone; how many."""
    with db.session() as connection:
        return connection.execute(
            """
            DELETE FROM embeddings e WHERE e.owner_kind = ANY(%(kinds)s)
            AND NOT EXISTS (SELECT FROM catalogue_nodes n WHERE n.node_id = e.owner_id AND n.gone_at IS NULL AND n.long_text IS NOT NULL)
            """,
            {"kinds": list(VECTOR_KINDS)},
        ).rowcount
