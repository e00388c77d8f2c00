"""The rows of skill versions."""

from sqlalchemy import Column, DateTime, Index, Table, Text, func
from sqlalchemy.dialects.postgresql import JSONB

from workers.blackboard.tables import metadata

skill_versions = Table(
    "skill_versions",
    metadata,
    Column("hash", Text, primary_key=True, comment="sha256 of all that a job takes from the skill"),
    Column("name", Text, nullable=False),
    Column("body", Text, nullable=False, comment="the Markdown below the front matter"),
    Column("procedure", Text, nullable=True, comment="the text of procedure.yaml"),
    Column("files", JSONB, nullable=False, comment="path → text of each reference"),
    Column("used_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("ix_skill_versions_used_at", "used_at"),
)
