"""Sessions are listed by age and found by the end of their ids."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    tail = sa.literal_column("reverse(right(id::text, 12))", sa.Text()).label("tail")
    op.create_index("ix_sessions_tail", "sessions", [tail], postgresql_ops={"tail": "text_pattern_ops"})
    op.create_index("ix_sessions_created_at", "sessions", ["created_at"])


def downgrade() -> None:
    """Undo."""
    op.drop_index("ix_sessions_created_at", "sessions")
    op.drop_index("ix_sessions_tail", "sessions")
