"""The metrics servers that may be queried. What was run on them is in the audit of the sources."""

from sqlalchemy import Column, DateTime, Table, Text, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from workers.blackboard.tables import metadata

metric_sources = Table(
    "metric_sources",
    metadata,
    Column("name", Text, primary_key=True),
    Column("limits", JSONB, nullable=False),
    Column("owners", ARRAY(Text), nullable=False, comment="who may query it; empty: everyone"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
