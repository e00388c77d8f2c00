"""Tables of the gateway's access."""

from sqlalchemy import ARRAY, Column, DateTime, ForeignKey, Index, Integer, LargeBinary, Table, Text, text

from workers.blackboard.tables import metadata

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True, comment="the readable part of a key"),
    Column("secret_hash", LargeBinary, nullable=False, comment="sha256 of the secret part: it has 256 random bits"),
    Column("owner", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("label", Text, nullable=False, server_default=text("''")),
    Column("per_minute", Integer, nullable=True, comment="most requests a minute; null: the deployment's default"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=text("now()")),
    Column("expires_at", DateTime(timezone=True), nullable=True),
    Column("last_used_at", DateTime(timezone=True), nullable=True, comment="to the minute"),
    Column("revoked_at", DateTime(timezone=True), nullable=True),
    Column("busy_until", DateTime(timezone=True), nullable=True, comment="when the requests so far would end, evenly spread"),
)

browser_logins = Table(
    "browser_logins",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True, comment="sha256 of the cookie"),
    Column("key_id", Text, ForeignKey("api_keys.id", ondelete="CASCADE"), nullable=False),
    Column("csrf", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=text("now()")),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Index("ix_browser_logins_key_id", "key_id"),
)

login_codes = Table(
    "login_codes",
    metadata,
    Column("code_hash", LargeBinary, primary_key=True, comment="sha256 of an address that logs in once; used up: the row is deleted"),
    Column("key_id", Text, ForeignKey("api_keys.id", ondelete="CASCADE"), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Index("ix_login_codes_key_id", "key_id"),
)
