"""Answers to producers wait in Postgres until they are delivered."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply. A coordinator of the last release sends its answers itself and does not use the table."""
    op.create_table(
        "answers",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("address", sa.Text(), nullable=False, comment="the producer's reply_to"),
        sa.Column("target", sa.Text(), nullable=False, comment="what is away together: a web server, or one stream or queue"),
        sa.Column("lane", sa.Text(), nullable=False, comment="web answers never hold up those of the broker"),
        sa.Column("job_id", sa.Uuid(), nullable=True, comment="its answers to an address leave in order"),
        sa.Column("body", JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("try_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=True, comment="a sender works on it"),
        sa.Column("tries", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("error", sa.Text(), nullable=True, comment="of the last try"),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True, comment="null: not delivered yet"),
        sa.Column("entry", sa.Text(), nullable=True, comment="id of the entry in the reply stream"),
        sa.Column("memory", sa.Text(), nullable=True, comment="of the Redis that took it; another one may have forgotten it"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_answers")),
        sa.CheckConstraint("lane IN ('broker', 'web')", name=op.f("ck_answers_lane")),
    )
    waiting = sa.text("sent_at IS NULL")
    op.create_index("ix_answers_waiting", "answers", ["lane", "target", "try_at"], postgresql_where=waiting)
    op.create_index("ix_answers_of_job", "answers", ["job_id", "seq"], postgresql_where=waiting)
    op.create_index("ix_answers_sent", "answers", ["sent_at"], postgresql_where=sa.text("sent_at IS NOT NULL"))
    op.create_index("ix_answers_memory", "answers", ["memory"], postgresql_where=sa.text("memory IS NOT NULL"))


def downgrade() -> None:
    """Undo. Answers that were not delivered are lost."""
    op.drop_table("answers")
