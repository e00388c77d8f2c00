"""Tool calls and grants: what steps may call, what they called, and what became of it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "tool_calls",
        sa.Column("step_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="of the call in its step, over all attempts"),
        sa.Column("attempt", sa.SmallInteger(), nullable=False, comment="the last attempt that made this call"),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("arguments_hash", sa.Text(), nullable=False, comment="sha256 of the canonical JSON"),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True, comment="why it was not answered"),
        sa.Column("result", postgresql.JSONB(), nullable=True, comment="of a call with an effect, for a repeated attempt"),
        sa.Column("duration_ms", sa.Integer(), nullable=True, comment="null: the process ended before the call did"),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('started', 'answered', 'refused', 'invalid', 'failed', 'unavailable')", name=op.f("ck_tool_calls_outcome")
        ),
        sa.CheckConstraint("effect IN ('none', 'read', 'write')", name=op.f("ck_tool_calls_effect")),
        sa.ForeignKeyConstraint(["step_id"], ["steps.id"], name=op.f("fk_tool_calls_step_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("step_id", "number", name=op.f("pk_tool_calls")),
    )
    op.create_index("ix_tool_calls_tool_started_at", "tool_calls", ["tool", "started_at"])
    op.create_table(
        "tool_grants",
        sa.Column("step_id", sa.Uuid(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("granted", postgresql.JSONB(), nullable=False, comment="tools and the places that each may open, as they were computed"),
        sa.Column("granted_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["step_id"], ["steps.id"], name=op.f("fk_tool_grants_step_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("step_id", "attempt", name=op.f("pk_tool_grants")),
    )


def downgrade() -> None:
    """Undo."""
    for table in ("tool_grants", "tool_calls"):
        op.drop_table(table)
