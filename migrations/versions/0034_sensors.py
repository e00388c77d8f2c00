"""Metrics servers, and the logs and metrics of systems."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "metric_sources",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("limits", postgresql.JSONB(), nullable=False),
        sa.Column("owners", postgresql.ARRAY(sa.Text()), nullable=False, comment="who may query it; empty: everyone"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_metric_sources")),
    )
    op.add_column("systems", sa.Column("logs", postgresql.JSONB(), comment="log_sources.name and conditions on labels"))
    op.add_column("systems", sa.Column("metrics", postgresql.JSONB(), comment="metric_sources.name and conditions on labels"))
    op.alter_column(
        "systems", "source", nullable=True,
        comment="sources.name", existing_comment="sources.name; without it, it cannot be looked at",
    )  # fmt: skip


def downgrade() -> None:
    """Take back."""
    op.execute("DELETE FROM systems WHERE source IS NULL")
    op.alter_column(
        "systems", "source", nullable=False,
        comment="sources.name; without it, it cannot be looked at", existing_comment="sources.name",
    )  # fmt: skip
    op.drop_column("systems", "metrics")
    op.drop_column("systems", "logs")
    op.drop_table("metric_sources")
