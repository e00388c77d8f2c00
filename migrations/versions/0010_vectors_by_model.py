"""Vectors are compared exactly up to a size, so the fixed HNSW indexes go; which model's vectors are complete is written down."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.drop_constraint(op.f("ck_embeddings_owner_kind"), "embeddings", type_="check")
    op.execute(
        """
        DO $$ DECLARE found text; BEGIN
            FOR found IN SELECT indexname FROM pg_indexes
                         WHERE schemaname = current_schema() AND tablename = 'embeddings' AND indexdef LIKE '%USING hnsw%'
            LOOP EXECUTE format('DROP INDEX %I', found); END LOOP;
        END $$
        """
    )
    op.create_table(
        "embedding_models",
        sa.Column("owner_kind", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("ready", sa.Boolean(), nullable=False, comment="whether searches of this kind may go by the vectors of this model"),
        sa.PrimaryKeyConstraint("owner_kind", "model", name=op.f("pk_embedding_models")),
    )
    op.execute(
        "INSERT INTO embedding_models (owner_kind, model, ready) SELECT DISTINCT owner_kind, model, true FROM embeddings WHERE owner_kind <> 'experience'"
    )
    op.drop_column("history_state", "revision")


def downgrade() -> None:
    """Undo."""
    op.add_column(
        "history_state",
        sa.Column(
            "revision", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False, comment="another one after every write"
        ),
    )
    op.drop_table("embedding_models")
    op.execute("DELETE FROM embeddings WHERE owner_kind NOT IN ('ticket', 'phenomenon', 'experience')")
    op.create_check_constraint(op.f("ck_embeddings_owner_kind"), "embeddings", "owner_kind IN ('ticket', 'phenomenon', 'experience')")
    for owner_kind in ("ticket", "phenomenon"):
        op.execute(
            f"CREATE INDEX ix_embeddings_wordllama_256_{owner_kind} ON embeddings USING hnsw ((vector::vector(256)) vector_cosine_ops) "
            f"WHERE owner_kind = '{owner_kind}' AND model = 'wordllama-256'"
        )
