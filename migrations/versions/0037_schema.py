"""The first revision: the whole schema, as the revisions 0001 to 0037 made it. `0037_schema.sql` holds it."""

from pathlib import Path

from alembic import op

revision = "0037"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    statements = Path(__file__).with_suffix(".sql").read_text("utf-8")
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def downgrade() -> None:
    """There is nothing before it."""
    raise NotImplementedError("Revision 0037 is the first. Drop the database instead.")
