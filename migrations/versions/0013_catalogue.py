"""The catalogue: what is known of the users' data, as a graph."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    texts, now = postgresql.ARRAY(sa.Text()), sa.text("now()")
    op.create_table(
        "catalogue_nodes",
        sa.Column("node_id", sa.Text(), nullable=False, comment="made from kind, source and key"),
        sa.Column("kind", sa.Text(), nullable=False, comment="table, column, value_domain, metric, tag, query, document or term"),
        sa.Column("source", sa.Text(), nullable=False, comment="name of the source that it belongs to; empty: of none"),
        sa.Column("key", sa.Text(), nullable=False, comment="names it within its source and kind: sales.orders, sales.orders.id"),
        sa.Column("parent", sa.Text(), nullable=True, comment="node that contains it: the table of a column and of its value domain"),
        sa.Column("given", postgresql.JSONB(), nullable=False, comment="origin → what it says of the node"),
        sa.Column("content", postgresql.JSONB(), nullable=False, comment="joined from what the origins say"),
        sa.Column("short_text", sa.Text(), nullable=True, comment="what a table is called, for a vector of its own"),
        sa.Column("long_text", sa.Text(), nullable=True, comment="what a vector is made of; null: it has none"),
        sa.Column("words", postgresql.TSVECTOR(), nullable=True, comment="null: it is found through the node that contains it"),
        sa.Column("word_count", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("gone_at", sa.DateTime(timezone=True), nullable=True, comment="since when no origin has it any more"),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("node_id", name=op.f("pk_catalogue_nodes")),
    )
    op.create_index("ix_catalogue_nodes_source_kind_key", "catalogue_nodes", ["source", "kind", "key"])
    op.create_index("ix_catalogue_nodes_parent", "catalogue_nodes", ["parent"], postgresql_where=sa.text("parent IS NOT NULL"))
    op.create_index(
        "ix_catalogue_nodes_words", "catalogue_nodes", ["words"], postgresql_using="gin", postgresql_where=sa.text("words IS NOT NULL")
    )
    op.create_table(
        "catalogue_edges",
        sa.Column("from_id", sa.Text(), nullable=False),
        sa.Column(
            "kind", sa.Text(), nullable=False, comment="references, derives, measures, answers, tagged or synonym; a parent contains"
        ),
        sa.Column("to_id", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False, comment="tells edges of a kind between the same nodes apart: the columns of a join"),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False, comment="of the node that it comes from"),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("from_id", "kind", "to_id", "label", "origin", name=op.f("pk_catalogue_edges")),
    )
    op.create_index("ix_catalogue_edges_to_id", "catalogue_edges", ["to_id", "kind"])
    op.create_index("ix_catalogue_edges_origin", "catalogue_edges", ["origin", "source"])
    op.create_table(
        "catalogue_words",
        sa.Column("word", sa.Text(), nullable=False),
        sa.Column("node_count", sa.Integer(), nullable=False, comment="nodes whose words hold it"),
        sa.PrimaryKeyConstraint("word", name=op.f("pk_catalogue_words")),
    )
    op.create_table(
        "catalogue_origins",
        sa.Column("origin", sa.Text(), nullable=False, comment="form and place: ddl:/data/schema.sql, source:shop"),
        sa.Column("sources", texts, nullable=False, comment="whose nodes it gave"),
        sa.Column("search", texts, nullable=False, comment="schemas in which the source looks for a table without one"),
        sa.Column("report", postgresql.JSONB(), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("origin", name=op.f("pk_catalogue_origins")),
    )


def downgrade() -> None:
    """Undo."""
    op.execute("DELETE FROM embeddings WHERE owner_kind LIKE 'catalogue%'")
    op.execute("DELETE FROM embedding_models WHERE owner_kind LIKE 'catalogue%'")
    for table in ("catalogue_origins", "catalogue_words", "catalogue_edges", "catalogue_nodes"):
        op.drop_table(table)
