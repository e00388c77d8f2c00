"""What tickets were before a change, so that imports, edits, deletes and feedback can be undone."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "ticket_batches",
        sa.Column("batch_id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("what", sa.Text(), nullable=False, comment="import, edit, delete, feedback, merge or undo"),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("undone", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint("what IN ('import', 'edit', 'delete', 'feedback', 'merge', 'undo')", name=op.f("ck_ticket_batches_what")),
        sa.PrimaryKeyConstraint("batch_id", name=op.f("pk_ticket_batches")),
    )
    op.create_table(
        "ticket_changes",
        sa.Column("batch_id", sa.BigInteger(), nullable=False),
        sa.Column("ticket_id", sa.Text(), nullable=False),
        sa.Column("before", postgresql.JSONB(), nullable=True, comment="the ticket as it was; null: there was none"),
        sa.ForeignKeyConstraint(["batch_id"], ["ticket_batches.batch_id"], name=op.f("fk_ticket_changes_batch_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("batch_id", "ticket_id", name=op.f("pk_ticket_changes")),
    )
    op.create_index(op.f("ix_ticket_changes_ticket_id"), "ticket_changes", ["ticket_id"])


def downgrade() -> None:
    """Undo."""
    op.drop_table("ticket_changes")
    op.drop_table("ticket_batches")
