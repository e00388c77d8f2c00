"""Questions are announced to producers."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply. Questions that are open now are announced by the first coordinator of this release."""
    op.add_column(
        "requests", sa.Column("announced_at", sa.DateTime(timezone=True), nullable=True, comment="to the producer, of a question")
    )
    op.create_index(
        "ix_requests_unannounced",
        "requests",
        ["id"],
        postgresql_where=sa.text("target = 'human' AND response IS NULL AND NOT void AND announced_at IS NULL"),
    )


def downgrade() -> None:
    """Undo."""
    op.drop_index("ix_requests_unannounced", "requests")
    op.drop_column("requests", "announced_at")
