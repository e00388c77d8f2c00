"""What a person had looked up in answer to a question, by the method that the question names."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "method_runs",
        sa.Column("request_id", sa.Uuid(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False, comment="its number in the question"),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(["request_id"], ["requests.id"], name=op.f("fk_method_runs_request_id_requests"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("request_id", "item", name=op.f("pk_method_runs")),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("method_runs")
