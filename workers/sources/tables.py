"""Sources, their policies, and the audit of what was run on them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from workers.blackboard.tables import metadata

sources = Table(
    "sources",
    metadata,
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("limits", JSONB, nullable=False),
    Column("owners", ARRAY(Text), nullable=False, comment="who may query it; empty: everyone"),
    Column("insisted", Boolean, nullable=False, comment="the operator accepted an account that could write"),
    Column("sample", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)

source_policies = Table(
    "source_policies",
    metadata,
    Column("source", Text, ForeignKey("sources.name", ondelete="CASCADE"), primary_key=True),
    Column("owner", Text, primary_key=True, comment="*: everyone"),
    Column("table_name", Text, primary_key=True),
    Column("predicate", Text, nullable=True),
    Column("hidden", ARRAY(Text), nullable=False),
    Column("denied", Boolean, nullable=False),
    Column("exempt", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)

source_executions = Table(
    "source_executions",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("source", Text, nullable=False, comment="no foreign key: the audit stays when the source is removed"),
    Column("owner", Text, nullable=False),
    Column("job_id", Uuid, nullable=True, comment="no foreign key: the audit stays when the job is purged"),
    Column("step_id", Uuid, nullable=True),
    Column("statement_hash", Text, nullable=False, comment="sha256 of the whole statement"),
    Column("statement", Text, nullable=False, comment="its beginning"),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("rows", Integer, nullable=True),
    Column("result_bytes", BigInteger, nullable=True),
    Column("duration_ms", BigInteger, nullable=True, comment="null: the process ended before the statement did"),
    Column("locks", JSONB, nullable=False, server_default=text("'[]'")),
    Column("error", Text, nullable=True),
    Index("ix_source_executions_source", "source", "id"),
    Index("ix_source_executions_owner", "owner", "id"),
    Index("ix_source_executions_job_id", "job_id"),
)

source_writable_schemas = Table(
    "source_writable_schemas",
    metadata,
    Column("source", Text, ForeignKey("sources.name", ondelete="CASCADE"), primary_key=True),
    Column("schema_name", Text, primary_key=True),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)

source_writes = Table(
    "source_writes",
    metadata,
    Column("id", Uuid, primary_key=True, comment="the key of the ledger row in the source"),
    Column("source", Text, nullable=False, comment="no foreign key: the approval stays when the source is removed"),
    Column("script_hash", Text, nullable=False, comment="sha256 of source and statements"),
    Column("owner", Text, nullable=False, comment="whose job it is"),
    Column("approved_by", Text, nullable=False),
    Column("job_id", Uuid, nullable=True, comment="no foreign key: the approval stays when the job is purged"),
    Column("approved_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("done_at", DateTime(timezone=True), nullable=True, comment="null: the ledger in the source decides"),
    UniqueConstraint("job_id", "source", "script_hash"),
)
