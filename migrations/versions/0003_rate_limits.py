"""Rate limits that the whole fleet shares."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rate_limits",
        sa.Column("key", sa.Text(), nullable=False, comment="what is counted, e.g. model_calls"),
        sa.Column("tat", sa.DateTime(timezone=True), nullable=False, comment="theoretical arrival time: when the next turn is (GCRA)"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rate_limits")),
    )


def downgrade() -> None:
    op.drop_table("rate_limits")
