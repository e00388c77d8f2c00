"""Versions of skills that jobs follow, so that a change of a skill's folder does not change a running job."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "skill_versions",
        sa.Column("hash", sa.Text(), nullable=False, comment="sha256 of all that a job takes from the skill"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False, comment="the Markdown below the front matter"),
        sa.Column("procedure", sa.Text(), nullable=True, comment="the text of procedure.yaml"),
        sa.Column("files", postgresql.JSONB(), nullable=False, comment="path → text of each reference"),
        sa.Column("used_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_skill_versions")),
    )
    op.create_index("ix_skill_versions_used_at", "skill_versions", ["used_at"])


def downgrade() -> None:
    """Undo."""
    op.drop_table("skill_versions")
