"""The systems that incidents are about."""

from sqlalchemy import Column, DateTime, Table, Text, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from workers.blackboard.tables import metadata

systems = Table(
    "systems",
    metadata,
    Column("name", Text, primary_key=True),
    Column("source", Text, comment="sources.name"),
    Column("logs", JSONB, comment="log_sources.name and conditions on labels"),
    Column("metrics", JSONB, comment="metric_sources.name and conditions on labels"),
    Column("match", ARRAY(Text), nullable=False, comment="words or label=value of an incident; * for any characters"),
    Column("owners", ARRAY(Text), nullable=False, comment="whose incidents; empty: everyone's"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
