"""The index that admission counts with holds those jobs alone that count: not the ones that wait for a human."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    busy = sa.text("finished_at IS NULL AND admitted AND status IN ('accepted', 'running')")
    op.create_index("ix_jobs_busy", "jobs", ["owner"], postgresql_where=busy)
    op.drop_index("ix_jobs_admitted", "jobs")


def downgrade() -> None:
    """Revert."""
    op.create_index("ix_jobs_admitted", "jobs", ["owner"], postgresql_where=sa.text("finished_at IS NULL AND admitted"))
    op.drop_index("ix_jobs_busy", "jobs")
