"""The ticket history: tickets, phenomena, causes, their links, words and embeddings."""

import pgvector.sqlalchemy
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLES = ("embeddings", "symptom_words", "phenomenon_causes", "ticket_anomalies", "tickets", "phenomena", "causes")


def upgrade() -> None:
    """Apply."""
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "causes",
        sa.Column("cause_id", sa.Text(), nullable=False, comment="made from the normalised wording: equal wordings are one cause"),
        sa.Column("description", sa.Text(), nullable=False, comment="the first wording"),
        sa.Column("solution", sa.Text(), nullable=False, comment="the longest of its tickets"),
        sa.Column("ticket_count", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="tickets with this cause"),
        sa.PrimaryKeyConstraint("cause_id", name=op.f("pk_causes")),
    )
    op.create_table(
        "phenomena",
        sa.Column("phenomenon_id", sa.Text(), nullable=False, comment="made from the normalised wording"),
        sa.Column("description", sa.Text(), nullable=False, comment="the first wording"),
        sa.Column("observation_method", sa.Text(), nullable=False, comment="the longest of its tickets"),
        sa.Column("words", postgresql.TSVECTOR(), nullable=False),
        sa.Column("ticket_count", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="tickets that show it"),
        sa.Column("cause_count", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="causes that show it"),
        sa.PrimaryKeyConstraint("phenomenon_id", name=op.f("pk_phenomena")),
    )
    op.create_index("ix_phenomena_words", "phenomena", ["words"], postgresql_using="gin")
    op.create_table(
        "tickets",
        sa.Column("ticket_id", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("root_cause", sa.Text(), nullable=False, comment="as its author wrote it; never in words or embeddings"),
        sa.Column("solution", sa.Text(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("cause_id", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("words", postgresql.TSVECTOR(), nullable=False, comment="of description and phenomena, never of cause or solution"),
        sa.Column("word_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["cause_id"], ["causes.cause_id"], name=op.f("fk_tickets_cause_id")),
        sa.PrimaryKeyConstraint("ticket_id", name=op.f("pk_tickets")),
    )
    op.create_index("ix_tickets_words", "tickets", ["words"], postgresql_using="gin")
    op.create_index("ix_tickets_cause_id", "tickets", ["cause_id"], postgresql_include=["word_count"])
    op.create_table(
        "ticket_anomalies",
        sa.Column("ticket_id", sa.Text(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("phenomenon_id", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False, comment="as its author wrote it"),
        sa.Column("observation_method", sa.Text(), nullable=False),
        sa.Column("why_relevant", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["phenomenon_id"], ["phenomena.phenomenon_id"], name=op.f("fk_ticket_anomalies_phenomenon_id")),
        sa.ForeignKeyConstraint(["ticket_id"], ["tickets.ticket_id"], name=op.f("fk_ticket_anomalies_ticket_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("ticket_id", "position", name=op.f("pk_ticket_anomalies")),
    )
    op.create_index("ix_ticket_anomalies_phenomenon_id", "ticket_anomalies", ["phenomenon_id", "ticket_id"])
    op.create_table(
        "phenomenon_causes",
        sa.Column("phenomenon_id", sa.Text(), nullable=False),
        sa.Column("cause_id", sa.Text(), nullable=False),
        sa.Column("ticket_count", sa.Integer(), nullable=False, comment="tickets of the cause that show the phenomenon"),
        sa.Column("why_relevant", sa.Text(), nullable=False, comment="of the first of these tickets that says it"),
        sa.ForeignKeyConstraint(["cause_id"], ["causes.cause_id"], name=op.f("fk_phenomenon_causes_cause_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["phenomenon_id"], ["phenomena.phenomenon_id"], name=op.f("fk_phenomenon_causes_phenomenon_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("phenomenon_id", "cause_id", name=op.f("pk_phenomenon_causes")),
    )
    op.create_index("ix_phenomenon_causes_cause_id", "phenomenon_causes", ["cause_id", "ticket_count", "phenomenon_id"])
    op.create_table(
        "symptom_words",
        sa.Column("word", sa.Text(), nullable=False),
        sa.Column("ticket_count", sa.Integer(), nullable=False, comment="tickets whose symptoms hold the word"),
        sa.PrimaryKeyConstraint("word", name=op.f("pk_symptom_words")),
    )
    op.create_table(
        "embeddings",
        sa.Column("owner_kind", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("dim", sa.SmallInteger(), nullable=False),
        sa.Column("vector", pgvector.sqlalchemy.VECTOR(), nullable=False),
        sa.CheckConstraint("owner_kind IN ('ticket', 'phenomenon')", name=op.f("ck_embeddings_owner_kind")),
        sa.CheckConstraint("vector_dims(vector) = dim", name=op.f("ck_embeddings_dim")),
        sa.PrimaryKeyConstraint("owner_kind", "owner_id", "model", name=op.f("pk_embeddings")),
    )
    for owner_kind in ("ticket", "phenomenon"):
        op.create_index(
            f"ix_embeddings_wordllama_256_{owner_kind}",
            "embeddings",
            [sa.cast(sa.column("vector"), pgvector.sqlalchemy.VECTOR(256)).label("nearest")],
            postgresql_using="hnsw",
            postgresql_ops={"nearest": "vector_cosine_ops"},
            postgresql_where=sa.text(f"owner_kind = '{owner_kind}' AND model = 'wordllama-256'"),
        )


def downgrade() -> None:
    """Undo; the history is lost."""
    for table in _TABLES:
        op.drop_table(table)
