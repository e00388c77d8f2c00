"""The running jobs of an owner are counted, and the waiting ones found, by an index each."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_index("ix_jobs_waiting", "jobs", ["owner", sa.text("priority DESC"), "id"], postgresql_where=sa.text("NOT admitted"))
    admitted = sa.text("finished_at IS NULL AND admitted")
    op.create_index("ix_jobs_admitted", "jobs", ["owner"], postgresql_where=admitted)


def downgrade() -> None:
    """Undo."""
    op.drop_index("ix_jobs_admitted", "jobs")
    op.drop_index("ix_jobs_waiting", "jobs")
