"""Access to the gateway: keys, logins of browsers, one-time login codes."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False, comment="the readable part of a key"),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False, comment="sha256 of the secret part: it has 256 random bits"),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("label", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("per_minute", sa.Integer(), nullable=True, comment="most requests a minute; null: the deployment's default"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True, comment="to the minute"),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
    )
    op.create_table(
        "browser_logins",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False, comment="sha256 of the cookie"),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name=op.f("fk_browser_logins_key_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_browser_logins")),
    )
    op.create_index("ix_browser_logins_key_id", "browser_logins", ["key_id"])
    op.create_table(
        "login_codes",
        sa.Column(
            "code_hash", sa.LargeBinary(), nullable=False, comment="sha256 of an address that logs in once; used up: the row is deleted"
        ),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name=op.f("fk_login_codes_key_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_login_codes")),
    )
    op.create_index("ix_login_codes_key_id", "login_codes", ["key_id"])


def downgrade() -> None:
    """Undo."""
    op.drop_table("login_codes")
    op.drop_table("browser_logins")
    op.drop_table("api_keys")
