"""What a model read in the prose of tickets, by the hash of the text, and the readings that were ordered."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_KINDS = "import, edit, delete, feedback, merge"
_WHAT = "what IN ('import', 'edit', 'delete', 'feedback', 'merge', 'undo'{})"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "ticket_readings",
        sa.Column("text_hash", sa.Text(), nullable=False, comment="sha256 of the prose that was read"),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("reading", postgresql.JSONB(), nullable=False, comment="quotations by what they say; {}: the answer was of no use"),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.PrimaryKeyConstraint("text_hash", name=op.f("pk_ticket_readings")),
    )
    op.create_table(
        "ticket_orders",
        sa.Column("order_id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("tickets", sa.Integer(), nullable=False, comment="the most that are read"),
        sa.Column("tokens", sa.BigInteger(), nullable=False, comment="the most that are paid, in and out"),
        sa.Column("tickets_read", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="tickets that were read"),
        sa.Column("tokens_used", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("useless", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="tickets whose answers were of no use"),
        sa.Column("changed", sa.Integer(), nullable=True, comment="tickets that have more than before; null: not applied yet"),
        sa.Column("problem", sa.Text(), nullable=True, comment="why it does not get on just now"),
        sa.Column("ordered_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("order_id", name=op.f("pk_ticket_orders")),
    )
    op.create_index(
        "uq_ticket_orders_open", "ticket_orders", [sa.text("(true)")], unique=True, postgresql_where=sa.text("ended_at IS NULL")
    )
    op.drop_constraint(op.f("ck_ticket_batches_what"), "ticket_batches")
    op.create_check_constraint(op.f("ck_ticket_batches_what"), "ticket_batches", _WHAT.format(", 'reading'"))
    op.alter_column("ticket_batches", "what", comment=f"{_KINDS}, undo or reading", existing_comment=f"{_KINDS} or undo")


def downgrade() -> None:
    """Take back."""
    op.execute("UPDATE ticket_batches SET what = 'import' WHERE what = 'reading'")
    op.drop_constraint(op.f("ck_ticket_batches_what"), "ticket_batches")
    op.create_check_constraint(op.f("ck_ticket_batches_what"), "ticket_batches", _WHAT.format(""))
    op.alter_column("ticket_batches", "what", comment=f"{_KINDS} or undo", existing_comment=f"{_KINDS}, undo or reading")
    op.drop_index("uq_ticket_orders_open", table_name="ticket_orders")
    op.drop_table("ticket_orders")
    op.drop_table("ticket_readings")
