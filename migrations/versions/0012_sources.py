"""Sources: the users' databases, what owners may see of them, and what was run on them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    texts = postgresql.ARRAY(sa.Text())
    op.create_table(
        "sources",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("limits", postgresql.JSONB(), nullable=False),
        sa.Column("owners", texts, nullable=False, comment="who may query it; empty: everyone"),
        sa.Column("insisted", sa.Boolean(), nullable=False, comment="the operator accepted an account that could write"),
        sa.Column("sample", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sources")),
    )
    op.create_table(
        "source_policies",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False, comment="*: everyone"),
        sa.Column("table_name", sa.Text(), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=True),
        sa.Column("hidden", texts, nullable=False),
        sa.Column("denied", sa.Boolean(), nullable=False),
        sa.Column("exempt", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["sources.name"], name=op.f("fk_source_policies_source"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source", "owner", "table_name", name=op.f("pk_source_policies")),
    )
    op.create_table(
        "source_executions",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False, comment="no foreign key: the audit stays when the source is removed"),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True, comment="no foreign key: the audit stays when the job is purged"),
        sa.Column("step_id", sa.Uuid(), nullable=True),
        sa.Column("statement_hash", sa.Text(), nullable=False, comment="sha256 of the whole statement"),
        sa.Column("statement", sa.Text(), nullable=False, comment="its beginning"),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=True),
        sa.Column("result_bytes", sa.BigInteger(), nullable=True),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True, comment="null: the process ended before the statement did"),
        sa.Column("locks", postgresql.JSONB(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_executions")),
    )
    op.create_index("ix_source_executions_source", "source_executions", ["source", "id"])
    op.create_index("ix_source_executions_owner", "source_executions", ["owner", "id"])
    op.create_index("ix_source_executions_job_id", "source_executions", ["job_id"])


def downgrade() -> None:
    """Undo."""
    for table in ("source_executions", "source_policies", "sources"):
        op.drop_table(table)
