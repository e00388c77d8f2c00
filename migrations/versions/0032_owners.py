"""Uploads belong to owners: a reference means something only to who brought it. Those that jobs name belong to the owners of these.
Whose jobs were the first to be answered at an address is found by an index. And long work of a gateway has rows of its own."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_KNOWN = """
INSERT INTO bundle_owners (ref, owner)
SELECT DISTINCT named.ref, j.owner
  FROM deliverables d JOIN jobs j ON j.id = d.job_id
       CROSS JOIN LATERAL unnest(ARRAY[d.content->>'bundle', d.content->>'kept']) AS named(ref)
 WHERE d.content ?| ARRAY['bundle', 'kept'] AND named.ref LIKE 'sha256:%'
"""


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "bundle_owners",
        sa.Column("ref", sa.Text(), nullable=False, comment="sha256:..., as a request names it"),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("brought_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.PrimaryKeyConstraint("ref", "owner", name=op.f("pk_bundle_owners")),
    )
    op.execute(_KNOWN)
    op.create_table(
        "operations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False, comment="name of the work; of each at most one runs"),
        sa.Column("state", sa.Text(), nullable=False, comment="running, done, failed"),
        sa.Column(
            "progress",
            postgresql.JSONB(),
            nullable=False,
            server_default=sa.text("'{}'"),
            comment="what is being done, how many of how many",
        ),
        sa.Column("result", postgresql.JSONB(), nullable=True),
        sa.Column("error", postgresql.JSONB(), nullable=True, comment="why it failed, as it is said"),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.Column(
            "beat_at",
            sa.DateTime(timezone=True),
            nullable=False,
            server_default=sa.text("now()"),
            comment="when its process was last heard of",
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operations")),
    )
    op.create_index("uq_operations_running", "operations", ["what"], unique=True, postgresql_where=sa.text("state = 'running'"))
    op.create_index("ix_jobs_reply_to", "jobs", ["reply_to", "id"], postgresql_where=sa.text("reply_to IS NOT NULL"))


def downgrade() -> None:
    """Take back."""
    op.drop_index("ix_jobs_reply_to", "jobs")
    op.drop_table("operations")
    op.drop_table("bundle_owners")
