"""Why a job failed, and which budget is used up, as JSON: a statement, which each reader has in their language, or a text of before."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

COLUMNS = {"error": "why it failed, as it is said", "exceeded": "fact of the sweeper: which budget is used up, as it is said"}
BEFORE = {"error": None, "exceeded": "fact of the sweeper: which budget is used up"}


def upgrade() -> None:
    """Apply."""
    for column, comment in COLUMNS.items():
        op.alter_column("jobs", column, type_=postgresql.JSONB(), postgresql_using=f"to_jsonb({column})", comment=comment)


def downgrade() -> None:
    """Revert; of a statement its code is kept."""
    for column, comment in BEFORE.items():
        op.alter_column(
            "jobs", column, type_=sa.Text(), comment=comment, postgresql_using=f"COALESCE({column}->>'code', {column} #>> '{{}}')"
        )
