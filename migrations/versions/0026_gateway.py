"""The gateway: how often a key calls, and alerts that became jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.add_column(
        "api_keys",
        sa.Column("busy_until", sa.DateTime(timezone=True), nullable=True, comment="when the requests so far would end, evenly spread"),
    )
    op.create_table(
        "alerts",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False, comment="of the sender, or a hash of what names the alert"),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True, comment="null: held back by the limit of new jobs"),
        sa.Column("times", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True, comment="when its job was made"),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_alerts_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("owner", "fingerprint", name=op.f("pk_alerts")),
    )
    op.create_index("ix_alerts_job_id", "alerts", ["job_id"])
    op.create_index("ix_alerts_begun_at", "alerts", ["owner", "begun_at"])


def downgrade() -> None:
    """Take back."""
    op.drop_table("alerts")
    op.drop_column("api_keys", "busy_until")
