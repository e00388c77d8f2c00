"""The tables of the catalogue, beside the blackboard's on the same metadata.

`catalogue_nodes` and `catalogue_edges` are the graph. What an import says of a node is kept by its origin (`given`), and what is
known of the node (`content`) is made from these; texts and words are made from the contents. `catalogue_words` and
`catalogue_origins` are counts and a log beside it.
"""

from sqlalchemy import Column, DateTime, ForeignKey, Index, Integer, Table, Text, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

from workers.blackboard.tables import metadata

catalogue_nodes = Table(
    "catalogue_nodes",
    metadata,
    Column("node_id", Text, primary_key=True, comment="made from kind, source and key"),
    Column("kind", Text, nullable=False, comment="table, column, value_domain, metric, tag, query, document or term"),
    Column("source", Text, nullable=False, comment="name of the source that it belongs to; empty: of none"),
    Column("key", Text, nullable=False, comment="names it within its source and kind: sales.orders, sales.orders.id"),
    Column("parent", Text, nullable=True, comment="node that contains it: the table of a column and of its value domain"),
    Column("given", JSONB, nullable=False, comment="origin → what it says of the node"),
    Column("content", JSONB, nullable=False, comment="joined from what the origins say"),
    Column("short_text", Text, nullable=True, comment="what a table is called, for a vector of its own"),
    Column("long_text", Text, nullable=True, comment="what a vector is made of; null: it has none"),
    Column("gone_at", DateTime(timezone=True), nullable=True, comment="since when no origin has it any more"),
    Column("updated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("ix_catalogue_nodes_source_kind_key", "source", "kind", "key"),
    Index("ix_catalogue_nodes_parent", "parent", postgresql_where=text("parent IS NOT NULL")),
)

catalogue_node_words = Table(
    "catalogue_node_words",
    metadata,
    Column("node_id", Text, ForeignKey("catalogue_nodes.node_id", ondelete="CASCADE"), primary_key=True),
    Column("source", Text, nullable=False, comment="of the node"),
    Column("word_count", Integer, nullable=False),
    Column("words", TSVECTOR, nullable=False),
    Index("ix_catalogue_node_words_words", "words", postgresql_using="gin"),
)
"""The nodes that are found by words and are not gone; a column is found through its table. A common word is held by thousands of nodes,
each on a page of its own where the rows are wide: so these rows have only what a search by words reads."""

catalogue_edges = Table(
    "catalogue_edges",
    metadata,
    Column("from_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True, comment="references, derives, measures, answers, tagged or synonym; a parent contains"),
    Column("to_id", Text, primary_key=True),
    Column("label", Text, primary_key=True, comment="tells edges of a kind between the same nodes apart: the columns of a join"),
    Column("origin", Text, primary_key=True),
    Column("source", Text, nullable=False, comment="of the node that it comes from"),
    Column("content", JSONB, nullable=False),
    Index("ix_catalogue_edges_to_id", "to_id", "kind"),
    Index("ix_catalogue_edges_origin", "origin", "source"),
)

catalogue_words = Table(
    "catalogue_words",
    metadata,
    Column("word", Text, primary_key=True),
    Column("node_count", Integer, nullable=False, comment="nodes whose words hold it"),
)

catalogue_origins = Table(
    "catalogue_origins",
    metadata,
    Column("origin", Text, primary_key=True, comment="form and place: ddl:/data/schema.sql, source:shop"),
    Column("sources", ARRAY(Text), nullable=False, comment="whose nodes it gave"),
    Column("search", ARRAY(Text), nullable=False, comment="schemas in which the source looks for a table without one"),
    Column("report", JSONB, nullable=False),
    Column("imported_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
