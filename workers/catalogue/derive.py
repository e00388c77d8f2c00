"""What is derived from the contents of nodes: their texts and words, and the counts of words. Vectors follow in batches."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any

import psycopg

from contracts.base import Json
from contracts.catalogue import NodeKind
from workers.blackboard.engine import Database, Row
from workers.catalogue.corpora import VECTOR_KINDS, take_turns
from workers.catalogue.texts import Texts, texts_of
from workers.retrieval.vectors import forget_vectors

Connection = psycopg.Connection[Row]

_BATCH = 500
"""Nodes; with their columns some 15,000 rows."""

_MANY = 5_000
"""Nodes whose change makes it worth while to have Postgres look at the tables at once."""


def derive(db: Database, ids: Collection[str], progress: Callable[[int], None] = lambda done: None) -> int:
    """Make texts and words of these nodes again; how many of them differed."""
    differed = done = 0
    with db.session() as connection:
        for batch in _batches(sorted(ids)):
            with connection.transaction():
                take_turns(connection)
                differed += _derive(connection, batch)
            done += len(batch)
            progress(done)
    return differed


def _derive(connection: Connection, ids: Sequence[str]) -> int:
    rows = connection.execute(
        "SELECT node_id, kind, n.source, content, gone_at, short_text, long_text, tsvector_to_array(words) AS words FROM catalogue_nodes n "
        "LEFT JOIN catalogue_node_words USING (node_id) WHERE node_id = ANY(%(ids)s)",
        {"ids": list(ids)},
    ).fetchall()
    columns = read_columns(connection, [row["node_id"] for row in rows if row["kind"] == NodeKind.TABLE])
    changed: list[tuple[str, Texts]] = []
    stale: list[str] = []
    for row in rows:
        made = texts_of(NodeKind(row["kind"]), row["source"], row["content"], columns.get(row["node_id"], []))
        if row["gone_at"] is not None:
            made = Texts()
        if (made.short, made.long) != (row["short_text"], row["long_text"]):
            stale.append(row["node_id"])
        if row["node_id"] in stale[-1:] or sorted(made.words) != sorted(row["words"] or ()):
            changed.append((row["node_id"], made))
    _write(connection, changed)
    for kind in VECTOR_KINDS if stale else ():
        forget_vectors(connection, kind, stale)
    return len(changed)


def read_columns(connection: Connection, tables: Sequence[str]) -> dict[str, list[Json]]:
    """Id of a table → contents of its columns that are not gone, in their order."""
    found: defaultdict[str, list[Json]] = defaultdict(list)
    rows = connection.execute(
        "SELECT parent, content FROM catalogue_nodes WHERE parent = ANY(%(ids)s) AND kind = 'column' AND gone_at IS NULL",
        {"ids": list(tables)},
    )
    for row in rows:
        found[row["parent"]].append(row["content"])
    for columns in found.values():
        columns.sort(key=lambda column: (column.get("position", 1_000_000), column.get("name", "")))
    return found


def _write(connection: Connection, changed: Sequence[tuple[str, Texts]]) -> None:
    if not changed:
        return
    connection.execute("CREATE TEMP TABLE made_texts (id text, short text, long text, words text[]) ON COMMIT DROP")
    with connection.cursor().copy("COPY made_texts FROM STDIN") as copy:
        for key, made in changed:
            copy.write_row((key, made.short, made.long, list(made.words) or None))
    connection.execute(
        """
        UPDATE catalogue_nodes n SET short_text = m.short, long_text = m.long
        FROM made_texts m WHERE n.node_id = m.id AND (n.short_text, n.long_text) IS DISTINCT FROM (m.short, m.long)
        """
    )
    connection.execute("DELETE FROM catalogue_node_words w USING made_texts m WHERE w.node_id = m.id AND m.words IS NULL")
    connection.execute(
        """
        INSERT INTO catalogue_node_words (node_id, source, word_count, words)
        SELECT m.id, n.source, cardinality(m.words), array_to_tsvector(m.words)
        FROM made_texts m JOIN catalogue_nodes n ON n.node_id = m.id WHERE m.words IS NOT NULL
        ON CONFLICT (node_id) DO UPDATE SET word_count = excluded.word_count, words = excluded.words
        """
    )
    connection.execute("DROP TABLE made_texts")


def count_words(db: Database, written: int) -> None:
    """Count again which words how many nodes hold; look at the tables if many rows were written."""
    with db.session() as connection:
        if written > _MANY:
            connection.execute("VACUUM (ANALYZE) catalogue_nodes, catalogue_node_words, catalogue_edges")
        with connection.transaction():
            take_turns(connection)
            connection.execute("DELETE FROM catalogue_words")
            connection.execute(
                "INSERT INTO catalogue_words (word, node_count) SELECT word, ndoc FROM ts_stat('SELECT words FROM catalogue_node_words')"
            )
        if written > _MANY:
            connection.execute("ANALYZE catalogue_words")


def _batches(ids: Sequence[Any]) -> Iterator[list[Any]]:
    rest = iter(ids)
    while batch := list(islice(rest, _BATCH)):
        yield batch
