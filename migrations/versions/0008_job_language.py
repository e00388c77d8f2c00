"""A job knows the language of its user."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply. Jobs of the last release have none: they are shown in English, as they were."""
    op.add_column("jobs", sa.Column("language", sa.Text(), nullable=True, comment="of the user, as BCP 47 writes it; null: not known"))


def downgrade() -> None:
    """Take it back."""
    op.drop_column("jobs", "language")
