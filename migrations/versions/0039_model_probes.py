"""What the probe found of models, by sort of task."""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.execute("""
        CREATE TABLE model_probes (
            server text NOT NULL,
            model text NOT NULL,
            task text NOT NULL,
            prompts text[] NOT NULL,
            is_right boolean NOT NULL,
            tries integer NOT NULL,
            fault text DEFAULT '' NOT NULL,
            asked_at timestamptz DEFAULT now() NOT NULL,
            CONSTRAINT pk_model_probes PRIMARY KEY (server, model, task)
        )
    """)
    op.execute("COMMENT ON COLUMN model_probes.task IS 'the prompt that was asked'")
    op.execute("COMMENT ON COLUMN model_probes.prompts IS 'all prompts of its sort'")
    op.execute("COMMENT ON COLUMN model_probes.tries IS 'up to the right answer, or all of them'")
    op.execute("COMMENT ON COLUMN model_probes.fault IS 'of the last wrong answer'")


def downgrade() -> None:
    """Take back."""
    op.execute("DROP TABLE model_probes")
