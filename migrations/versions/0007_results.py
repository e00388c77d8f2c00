"""A job's result is what its playbook names; a step knows whether its stage is optional."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BACKFILL = """
UPDATE jobs SET result = last.name
  FROM (SELECT DISTINCT ON (job_id) job_id, name FROM stages ORDER BY job_id, position DESC) last
 WHERE jobs.id = last.job_id AND jobs.result IS NULL
"""


def upgrade() -> None:
    """Apply. The result stays nullable, since coordinators of the last release go on writing jobs until they are replaced."""
    op.add_column("jobs", sa.Column("result", sa.Text(), nullable=True, comment="stage or family that is the result; null: the last stage"))
    op.execute(BACKFILL)
    optional = sa.Column("optional", sa.Boolean(), server_default=sa.text("false"), nullable=False, comment="it may yield Nothing")
    op.add_column("steps", optional)


def downgrade() -> None:
    """Take it back."""
    op.drop_column("steps", "optional")
    op.drop_column("jobs", "result")
