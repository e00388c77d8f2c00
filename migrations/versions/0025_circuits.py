"""The circuit breakers of models; what helped with an entry of the quarantine."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "model_circuits",
        sa.Column("server", sa.Text(), nullable=False, comment="address of the model's server, without secrets"),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="in a row"),
        sa.Column("timeouts", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="in a row"),
        sa.Column("openings", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="since the last answer"),
        sa.Column("open_until", sa.DateTime(timezone=True), nullable=True, comment="null: closed; past: half open"),
        sa.Column("known_at", sa.DateTime(timezone=True), nullable=True, comment="when the server last showed that it works"),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True, comment="when the last trial began"),
        sa.Column("reason", sa.Text(), nullable=True, comment="of the last failure"),
        sa.PrimaryKeyConstraint("server", "model", name=op.f("pk_model_circuits")),
    )
    op.add_column("quarantine", sa.Column("note", sa.Text(), nullable=True, comment="what helped, in an operator's words"))


def downgrade() -> None:
    """Undo."""
    op.drop_column("quarantine", "note")
    op.drop_table("model_circuits")
