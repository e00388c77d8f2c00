"""The words of the catalogue's nodes in a table of their own, so that a search by words reads few and narrow rows."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "catalogue_node_words",
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False, comment="of the node"),
        sa.Column("word_count", sa.Integer(), nullable=False),
        sa.Column("words", postgresql.TSVECTOR(), nullable=False),
        sa.ForeignKeyConstraint(
            ["node_id"], ["catalogue_nodes.node_id"], name=op.f("fk_catalogue_node_words_node_id_catalogue_nodes"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("node_id", name=op.f("pk_catalogue_node_words")),
    )
    op.execute(
        "INSERT INTO catalogue_node_words (node_id, source, word_count, words) "
        "SELECT node_id, source, word_count, words FROM catalogue_nodes WHERE words IS NOT NULL AND gone_at IS NULL ORDER BY kind, node_id"
    )
    op.create_index("ix_catalogue_node_words_words", "catalogue_node_words", ["words"], postgresql_using="gin")
    op.drop_index("ix_catalogue_nodes_words", "catalogue_nodes")
    op.drop_column("catalogue_nodes", "words")
    op.drop_column("catalogue_nodes", "word_count")
    op.execute("ANALYZE catalogue_node_words")  # a search weighs words by the number of its rows


def downgrade() -> None:
    """Revert."""
    op.add_column(
        "catalogue_nodes",
        sa.Column("words", postgresql.TSVECTOR(), nullable=True, comment="null: it is found through the node that contains it"),
    )
    op.add_column("catalogue_nodes", sa.Column("word_count", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.execute(
        "UPDATE catalogue_nodes n SET words = w.words, word_count = w.word_count FROM catalogue_node_words w WHERE w.node_id = n.node_id"
    )
    op.create_index(
        "ix_catalogue_nodes_words", "catalogue_nodes", ["words"], postgresql_using="gin", postgresql_where=sa.text("words IS NOT NULL")
    )
    op.drop_table("catalogue_node_words")
