"""The logs that may be searched. What was run on them is in the audit of the sources."""

from sqlalchemy import Boolean, Column, DateTime, Table, Text, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from workers.blackboard.tables import metadata

log_sources = Table(
    "log_sources",
    metadata,
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("limits", JSONB, nullable=False),
    Column("owners", ARRAY(Text), nullable=False, comment="who may search it; empty: everyone"),
    Column("sample", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
