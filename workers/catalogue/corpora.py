"""Where searches find the catalogue: its words, and the texts that its vectors are made of."""

import psycopg

from workers.blackboard.engine import Row
from workers.retrieval.embedding import TextSource
from workers.retrieval.words import Corpus

NODES = Corpus(kind="catalogue", table="catalogue_node_words", key="node_id", counted=("catalogue_words", "node_count"))
"""Tables with the names and descriptions of their columns, value domains, queries, documents, terms, metrics, tags."""

TABLES, TEXTS = "catalogue_table", "catalogue_text"
"""Kinds of vectors: tables; documents, queries, metrics and terms.

The vector of a table is the mean of two, of its name and of its columns: each alone misses a part of the questions (recall@5 of 167 English
questions is 0.90 by either and 0.95 by the mean). A column has none of its own; see docs/adr/0006."""

VECTOR_KINDS = (TABLES, TEXTS)

SEAM = "\x1f"
"""Between the two texts of a table; a control character that no text of the catalogue has in it."""


def take_turns(connection: psycopg.Connection[Row]) -> None:
    """Writers of the catalogue take turns until their transaction ends: they read what a node is before they change it."""
    connection.execute("SELECT pg_advisory_xact_lock(823649205)")


SOURCES = (
    TextSource(
        kind=TABLES,
        table="(SELECT node_id, short_text || chr(31) || long_text AS texts FROM catalogue_nodes "
        "WHERE kind = 'table' AND long_text IS NOT NULL AND gone_at IS NULL) described",
        key="node_id",
        text="texts",
        exact_up_to=2_000,
        role="passage",
        take_turns=take_turns,
    ),
    TextSource(
        kind=TEXTS,
        table="(SELECT node_id, long_text FROM catalogue_nodes "
        "WHERE kind <> 'table' AND long_text IS NOT NULL AND gone_at IS NULL) written",
        key="node_id",
        text="long_text",
        role="passage",
        take_turns=take_turns,
    ),
)
