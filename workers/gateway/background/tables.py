"""Table of operations."""

from sqlalchemy import Column, DateTime, Index, Table, Text, Uuid, text
from sqlalchemy.dialects.postgresql import JSONB

from workers.blackboard.tables import metadata

operations = Table(
    "operations",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("what", Text, nullable=False, comment="name of the work; of each at most one runs"),
    Column("state", Text, nullable=False, comment="running, done, failed"),
    Column("progress", JSONB, nullable=False, server_default=text("'{}'"), comment="what is being done, how many of how many"),
    Column("result", JSONB, nullable=True),
    Column("error", JSONB, nullable=True, comment="why it failed, as it is said"),
    Column("begun_at", DateTime(timezone=True), nullable=False, server_default=text("now()")),
    Column("beat_at", DateTime(timezone=True), nullable=False, server_default=text("now()"), comment="when its process was last heard of"),
    Column("ended_at", DateTime(timezone=True), nullable=True),
    Index("uq_operations_running", "what", unique=True, postgresql_where=text("state = 'running'")),
)
