"""What a model's server refuses is remembered by the fleet."""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.execute("ALTER TABLE model_servers ALTER COLUMN takes_native_calls DROP NOT NULL")
    op.execute("ALTER TABLE model_servers ADD COLUMN learnt jsonb, ADD COLUMN learnt_at timestamptz")
    op.execute("COMMENT ON COLUMN model_servers.takes_native_calls IS 'it answered the one probe call with a call; null: not asked'")
    op.execute("COMMENT ON COLUMN model_servers.learnt IS 'what was learnt of its requests, and of which requests'")


def downgrade() -> None:
    """Take back."""
    op.execute("DELETE FROM model_servers WHERE takes_native_calls IS NULL")
    op.execute("ALTER TABLE model_servers DROP COLUMN learnt, DROP COLUMN learnt_at")
    op.execute("ALTER TABLE model_servers ALTER COLUMN takes_native_calls SET NOT NULL")
    op.execute("COMMENT ON COLUMN model_servers.takes_native_calls IS 'it answered the one probe call with a call'")
