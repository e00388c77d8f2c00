"""Comments of tables in plain English."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("experience", "experience_id", comment="PACK/SLUG: one piece of advice, in any language")


def downgrade() -> None:
    op.alter_column("experience", "experience_id", comment="PACK/SLUG: one piece of advice, in whatever language")
