"""Steps count the processes that ended, or hung, while they ran them."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

COMMENT = "attempts that ended with their process: it died or hung and renewed the lease no more"


def upgrade() -> None:
    """Apply."""
    op.add_column("steps", sa.Column("lost", sa.SmallInteger(), nullable=False, server_default=sa.text("0"), comment=COMMENT))


def downgrade() -> None:
    """Revert."""
    op.drop_column("steps", "lost")
