"""The tables of bundles, in the blackboard's metadata: the parsed artefacts, a cache that may be emptied at any time, and whose is what."""

from sqlalchemy import Column, DateTime, Index, Integer, LargeBinary, Table, Text, func

from workers.blackboard.tables import metadata

artefact_facts = Table(
    "artefact_facts",
    metadata,
    Column("sha256", Text, primary_key=True, comment="of the artefact's bytes"),
    Column("kind", Text, primary_key=True),
    Column("parser", Text, primary_key=True, comment="name and version"),
    Column("read_as", Text, primary_key=True, comment="hash of what else the facts depend on: the artefact's name, the attempt asked for"),
    Column("facts", LargeBinary, nullable=False, comment="zlib-compressed canonical JSON of what was parsed"),
    Column("size_bytes", Integer, nullable=False, comment="of `facts`"),
    Column("used_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="the oldest go first"),
    Index("ix_artefact_facts_used_at", "used_at", postgresql_include=["size_bytes"]),
)

bundle_owners = Table(
    "bundle_owners",
    metadata,
    Column("ref", Text, primary_key=True, comment="sha256:..., as a request names it"),
    Column("owner", Text, primary_key=True),
    Column("brought_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)
