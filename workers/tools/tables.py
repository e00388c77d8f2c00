"""The rows of tool calls and grants."""

from sqlalchemy import CheckConstraint, Column, DateTime, ForeignKey, Index, Integer, SmallInteger, Table, Text, Uuid, func
from sqlalchemy.dialects.postgresql import JSONB

from workers.blackboard.tables import metadata

tool_calls = Table(
    "tool_calls",
    metadata,
    Column("step_id", Uuid, ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, comment="of the call in its step, over all attempts"),
    Column("attempt", SmallInteger, nullable=False, comment="the last attempt that made this call"),
    Column("tool", Text, nullable=False),
    Column("effect", Text, nullable=False),
    Column("arguments_hash", Text, nullable=False, comment="sha256 of the canonical JSON"),
    Column("outcome", Text, nullable=False),
    Column("message", Text, nullable=True, comment="why it was not answered"),
    Column("result", JSONB, nullable=True, comment="of a call with an effect, for a repeated attempt"),
    Column("duration_ms", Integer, nullable=True, comment="null: the process ended before the call did"),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    CheckConstraint("outcome IN ('started', 'answered', 'refused', 'invalid', 'failed', 'unavailable')", name="outcome"),
    CheckConstraint("effect IN ('none', 'read', 'write')", name="effect"),
    Index("ix_tool_calls_tool_started_at", "tool", "started_at"),
)

tool_grants = Table(
    "tool_grants",
    metadata,
    Column("step_id", Uuid, ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True),
    Column("attempt", SmallInteger, primary_key=True),
    Column("granted", JSONB, nullable=False, comment="tools and the places that each may open, as they were computed"),
    Column("granted_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
