"""One row that says how much history there is, and of which revision."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_BY_ID = "of the first of its tickets by id"
_BEFORE = "the first wording"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "history_state",
        sa.Column("single", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "revision", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False, comment="another one after every write"
        ),
        sa.Column("tickets", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="tickets there are"),
        sa.Column("causes", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="causes there are"),
        sa.Column("words", sa.BigInteger(), server_default=sa.text("0"), nullable=False, comment="word_count of all tickets together"),
        sa.CheckConstraint("single", name=op.f("ck_history_state_single")),
        sa.PrimaryKeyConstraint("single", name=op.f("pk_history_state")),
    )
    op.execute(
        """
        INSERT INTO history_state (tickets, causes, words)
        SELECT count(*), (SELECT count(*) FROM causes), coalesce(sum(word_count), 0) FROM tickets
        """
    )
    _comment(_BY_ID, "made from the cause's code, or else its normalised wording", before=False)


def downgrade() -> None:
    """Undo."""
    op.drop_table("history_state")
    _comment(_BEFORE, "made from the normalised wording: equal wordings are one cause", before=True)


def _comment(description: str, cause_id: str, *, before: bool) -> None:
    for table in ("causes", "phenomena"):
        op.alter_column(table, "description", comment=description, existing_comment=_BY_ID if before else _BEFORE, existing_type=sa.Text())
    op.alter_column("causes", "cause_id", comment=cause_id, existing_type=sa.Text())
