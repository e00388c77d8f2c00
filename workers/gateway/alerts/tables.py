"""Table of alerts: which became which job."""

from sqlalchemy import Column, DateTime, ForeignKey, Index, Integer, Table, Text, Uuid, text

from workers.blackboard.tables import metadata

alerts = Table(
    "alerts",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("fingerprint", Text, primary_key=True, comment="of the sender, or a hash of what names the alert"),
    Column("title", Text, nullable=False),
    Column("job_id", Uuid, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=True, comment="null: held back by the limit of new jobs"),
    Column("times", Integer, nullable=False, server_default=text("1")),
    Column("first_at", DateTime(timezone=True), nullable=False, server_default=text("now()")),
    Column("last_at", DateTime(timezone=True), nullable=False, server_default=text("now()")),
    Column("begun_at", DateTime(timezone=True), nullable=True, comment="when its job was made"),
    Column("resolved_at", DateTime(timezone=True), nullable=True),
    Index("ix_alerts_job_id", "job_id"),
    Index("ix_alerts_begun_at", "owner", "begun_at"),
)
