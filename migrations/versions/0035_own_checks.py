"""Checks that operators wrote, and who approved them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "own_checks",
        sa.Column("hash", sa.Text(), nullable=False, comment="of its canonical content"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.Column("approved_by", sa.Text(), nullable=True, comment="it runs unattended from then on"),
        sa.Column("approved_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_own_checks")),
    )
    op.create_index("own_checks_one_approved", "own_checks", ["name"], unique=True, postgresql_where=sa.text("approved_at IS NOT NULL"))


def downgrade() -> None:
    """Take back."""
    op.drop_table("own_checks")
