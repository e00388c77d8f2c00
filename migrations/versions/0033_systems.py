"""Systems that incidents are about, and the source at which each is looked at."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "systems",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False, comment="sources.name; without it, it cannot be looked at"),
        sa.Column(
            "match", postgresql.ARRAY(sa.Text()), nullable=False, comment="words or label=value of an incident; * for any characters"
        ),
        sa.Column("owners", postgresql.ARRAY(sa.Text()), nullable=False, comment="whose incidents; empty: everyone's"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_systems")),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("systems")
