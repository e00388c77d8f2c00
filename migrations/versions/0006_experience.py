"""The experience of the skill packs, and what users said of the advice that came of it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    texts = postgresql.ARRAY(sa.Text())
    op.create_table(
        "experience",
        sa.Column("experience_id", sa.Text(), nullable=False, comment="PACK/SLUG: one piece of advice, in whatever language"),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("tuning_class", sa.Text(), nullable=False),
        sa.Column("kinds", texts, nullable=False, comment="of verdicts that it is about"),
        sa.Column("engines", texts, nullable=False),
        sa.Column("remedies", texts, nullable=False, comment="kinds of fixes that it describes"),
        sa.Column("priority", sa.SmallInteger(), nullable=False, comment="of its pack: decides between equals"),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("words", postgresql.TSVECTOR(), nullable=False, comment="of title and text"),
        sa.Column("word_count", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False, comment="of all of the piece, as its file has it"),
        sa.PrimaryKeyConstraint("experience_id", "language", name=op.f("pk_experience")),
    )
    op.create_index("ix_experience_words", "experience", ["words"], postgresql_using="gin")
    op.create_table(
        "experience_feedback",
        sa.Column("job_id", sa.Uuid(), nullable=False, comment="no foreign key: what was learnt stays when the job is purged"),
        sa.Column("fix_id", sa.Text(), nullable=False),
        sa.Column("experience_ids", texts, nullable=False, comment="that the fix was taken from; none: it speaks for all of its remedy"),
        sa.Column("fix_kind", sa.Text(), nullable=False),
        sa.Column("tuning_class", sa.Text(), nullable=False, comment="of the job"),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("verdict IN ('adopted', 'ignored')", name=op.f("ck_experience_feedback_verdict")),
        sa.PrimaryKeyConstraint("job_id", "fix_id", name=op.f("pk_experience_feedback")),
    )
    op.create_index("ix_experience_feedback_tuning_class", "experience_feedback", ["tuning_class"])
    _let_embeddings_be_of("'ticket', 'phenomenon', 'experience'")


def downgrade() -> None:
    """Undo."""
    op.execute("DELETE FROM embeddings WHERE owner_kind = 'experience'")
    _let_embeddings_be_of("'ticket', 'phenomenon'")
    op.drop_table("experience_feedback")
    op.drop_table("experience")


def _let_embeddings_be_of(kinds: str) -> None:
    op.drop_constraint(op.f("ck_embeddings_owner_kind"), "embeddings", type_="check")
    op.create_check_constraint(op.f("ck_embeddings_owner_kind"), "embeddings", f"owner_kind IN ({kinds})")
