"""The systems that incidents are about."""

from sqlalchemy import Column, DateTime, Table, Text, func
from sqlalchemy.dialects.postgresql import ARRAY

from workers.blackboard.tables import metadata

systems = Table(
    "systems",
    metadata,
    Column("name", Text, primary_key=True),
    Column("source", Text, nullable=False, comment="sources.name; without it, it cannot be looked at"),
    Column("match", ARRAY(Text), nullable=False, comment="words or label=value of an incident; * for any characters"),
    Column("owners", ARRAY(Text), nullable=False, comment="whose incidents; empty: everyone's"),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
