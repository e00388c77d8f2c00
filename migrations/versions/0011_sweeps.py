"""Each part of the sweep records when it last succeeded and why it failed."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply. Coordinators of the last release do not write the table."""
    op.create_table(
        "sweeps",
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("ok_at", sa.DateTime(timezone=True), nullable=True, comment="when a coordinator last finished it without an error"),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True, comment="of the last failure"),
        sa.Column("failures", sa.BigInteger(), nullable=False, server_default=sa.text("0"), comment="in a row"),
        sa.Column("duration_s", sa.Float(), nullable=False, server_default=sa.text("0"), comment="of the last round"),
        sa.Column("worker", sa.Text(), nullable=False, comment="host:pid of the last round"),
        sa.PrimaryKeyConstraint("part", name=op.f("pk_sweeps")),
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("sweeps")
