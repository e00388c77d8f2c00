"""The journal of steps: each call of a model or a tool, and the texts that they consist of, each once a job; what servers of models take."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "call_texts",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False, comment="sha256 of the text"),
        sa.Column("body", sa.LargeBinary(), nullable=False, comment="the text in UTF-8, by zlib"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_call_texts_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "hash", name=op.f("pk_call_texts")),
    )
    op.create_table(
        "calls",
        sa.Column("step_id", sa.Uuid(), nullable=False),
        sa.Column("call", sa.Integer(), nullable=False, comment="number of the model call in its step; 0: what is frozen for all attempts"),
        sa.Column("place", sa.Integer(), nullable=False, comment="0: the model call; of a tool call its position after it"),
        sa.Column("attempt", sa.SmallInteger(), nullable=False, comment="that made this call"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="of a model call its prompt, of a tool call its tool"),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("request_hash", sa.Text(), nullable=False, comment="of what was asked, without ids of messages"),
        sa.Column("request", postgresql.JSONB(), nullable=False, comment="messages and their parts by hash and tokens; or what is frozen"),
        sa.Column("cut", postgresql.JSONB(), nullable=True, comment="what of the prompt was left out for lack of room"),
        sa.Column("answer_hash", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False, comment="started, answered, or the class of the error"),
        sa.Column("message", sa.Text(), nullable=True, comment="why it was not answered"),
        sa.Column("usage", postgresql.JSONB(), nullable=True, comment="paid for this call in all attempts; of call 0: for discarded calls"),
        sa.Column("duration_ms", sa.Integer(), nullable=True, comment="null: the process ended before the call did"),
        sa.Column("edited", sa.Boolean(), server_default=sa.text("false"), nullable=False, comment="its prompt was edited by hand"),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("kind IN ('start', 'model', 'tool')", name=op.f("ck_calls_kind")),
        sa.ForeignKeyConstraint(["step_id"], ["steps.id"], name=op.f("fk_calls_step_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("step_id", "call", "place", name=op.f("pk_calls")),
    )
    op.create_table(
        "model_servers",
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("takes_native_calls", sa.Boolean(), nullable=False, comment="it answered the one probe call with a call"),
        sa.Column("asked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("server", "model", name=op.f("pk_model_servers")),
    )


def downgrade() -> None:
    """Revert."""
    for table in ("model_servers", "calls", "call_texts"):
        op.drop_table(table)
