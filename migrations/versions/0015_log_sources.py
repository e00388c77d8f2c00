"""Logs that may be searched."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "log_sources",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("limits", postgresql.JSONB(), nullable=False),
        sa.Column("owners", postgresql.ARRAY(sa.Text()), nullable=False, comment="who may search it; empty: everyone"),
        sa.Column("sample", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_log_sources")),
    )


def downgrade() -> None:
    """Undo."""
    op.drop_table("log_sources")
