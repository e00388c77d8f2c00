"""The systems that incidents are about, and checks that operators wrote."""

from sqlalchemy import Column, DateTime, ForeignKey, Index, Integer, Table, Text, Uuid, func
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

own_checks = Table(
    "own_checks",
    metadata,
    Column("hash", Text, primary_key=True, comment="of its canonical content"),
    Column("name", Text, nullable=False),
    Column("content", JSONB, nullable=False),
    Column("added_by", Text, nullable=False),
    Column("added_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("approved_by", Text, comment="it runs unattended from then on"),
    Column("approved_at", DateTime(timezone=True)),
)
Index("own_checks_one_approved", own_checks.c.name, unique=True, postgresql_where=own_checks.c.approved_at.isnot(None))

method_runs = Table(
    "method_runs",
    metadata,
    Column("request_id", Uuid, ForeignKey("requests.id", ondelete="CASCADE"), primary_key=True),
    Column("item", Integer, primary_key=True, autoincrement=False, comment="its number in the question"),
    Column("content", JSONB, nullable=False),
)
