"""Writing to sources: schemas that are open to approved scripts, and the approvals."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "source_writable_schemas",
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("schema_name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["sources.name"], name=op.f("fk_source_writable_schemas_source"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source", "schema_name", name=op.f("pk_source_writable_schemas")),
    )
    op.create_table(
        "source_writes",
        sa.Column("id", sa.Uuid(), nullable=False, comment="the key of the ledger row in the source"),
        sa.Column("source", sa.Text(), nullable=False, comment="no foreign key: the approval stays when the source is removed"),
        sa.Column("script_hash", sa.Text(), nullable=False, comment="sha256 of source and statements"),
        sa.Column("owner", sa.Text(), nullable=False, comment="whose job it is"),
        sa.Column("approved_by", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True, comment="no foreign key: the approval stays when the job is purged"),
        sa.Column("approved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True, comment="null: the ledger in the source decides"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_writes")),
        sa.UniqueConstraint("job_id", "source", "script_hash", name=op.f("uq_source_writes_job_id_source_script_hash")),
    )


def downgrade() -> None:
    """Undo."""
    op.drop_table("source_writes")
    op.drop_table("source_writable_schemas")
