"""Indexes of the read side: lists of jobs by what narrows them, ids by their ends, steps that cost something."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BY_TAIL = ("jobs", "steps", "quarantine")


def upgrade() -> None:
    """Apply."""
    op.drop_index("ix_jobs_created_at", "jobs")
    op.drop_index("ix_jobs_session_id", "jobs")
    for column in ("status", "kind", "owner", "session_id"):
        op.create_index(op.f(f"ix_jobs_{column}_id"), "jobs", [column, "id"])
    for table in BY_TAIL:
        op.create_index(f"ix_{table}_tail", table, [sa.text("reverse(right(id::text, 12)) text_pattern_ops")])
    op.create_index("ix_steps_used", "steps", ["id"], postgresql_where=sa.text("usage IS NOT NULL"))


def downgrade() -> None:
    """Undo."""
    op.drop_index("ix_steps_used", "steps")
    for table in BY_TAIL:
        op.drop_index(f"ix_{table}_tail", table)
    for column in ("status", "kind", "owner", "session_id"):
        op.drop_index(op.f(f"ix_jobs_{column}_id"), "jobs")
    op.create_index("ix_jobs_session_id", "jobs", ["session_id"])
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"])
