"""The tables of the ticket history, beside the blackboard's on the same metadata.

`tickets` and `ticket_anomalies` are what was imported. `phenomena`, `causes`, `phenomenon_causes`, `symptom_words` and
`history_state` are derived from them, kept in step by every import and delete, and hold the counts that evidence needs; so are
their vectors, in `embeddings`. `ticket_batches` and `ticket_changes` hold what tickets were before a change, `ticket_readings` what a
model read in their prose, and `ticket_orders` how much of that was ordered. What the derived ones hold depends on the tickets alone, never
on the order in which these came.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

from workers.blackboard.tables import metadata


def _count(name: str, comment: str) -> Column[Any]:
    return Column(name, Integer, nullable=False, server_default=text("0"), comment=comment)


causes = Table(
    "causes",
    metadata,
    Column("cause_id", Text, primary_key=True, comment="made from the cause's code, or else its normalised wording"),
    Column("description", Text, nullable=False, comment="of the first of its tickets by id"),
    Column("solution", Text, nullable=False, comment="the longest of its tickets"),
    _count("ticket_count", "tickets with this cause"),
)

phenomena = Table(
    "phenomena",
    metadata,
    Column("phenomenon_id", Text, primary_key=True, comment="made from the normalised wording"),
    Column("description", Text, nullable=False, comment="of the first of its tickets by id"),
    Column("observation_method", Text, nullable=False, comment="the longest of its tickets"),
    Column("words", TSVECTOR, nullable=False),
    _count("ticket_count", "tickets that show it"),
    _count("cause_count", "causes that show it"),
    Index("ix_phenomena_words", "words", postgresql_using="gin"),
)

tickets = Table(
    "tickets",
    metadata,
    Column("ticket_id", Text, primary_key=True),
    Column("description", Text, nullable=False),
    Column("root_cause", Text, nullable=False, comment="as its author wrote it; never in words or embeddings"),
    Column("solution", Text, nullable=False),
    Column("metadata", JSONB, nullable=False, server_default=text("'{}'")),
    Column("cause_id", Text, ForeignKey("causes.cause_id"), nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("words", TSVECTOR, nullable=False, comment="of description and phenomena, never of cause or solution"),
    Column("word_count", Integer, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("updated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index("ix_tickets_words", "words", postgresql_using="gin"),
    Index("ix_tickets_cause_id", "cause_id", postgresql_include=["word_count"]),
)

ticket_anomalies = Table(
    "ticket_anomalies",
    metadata,
    Column("ticket_id", Text, ForeignKey("tickets.ticket_id", ondelete="CASCADE"), primary_key=True),
    Column("position", SmallInteger, primary_key=True),
    Column("phenomenon_id", Text, ForeignKey("phenomena.phenomenon_id"), nullable=False),
    Column("description", Text, nullable=False, comment="as its author wrote it"),
    Column("observation_method", Text, nullable=False),
    Column("why_relevant", Text, nullable=False),
    Index("ix_ticket_anomalies_phenomenon_id", "phenomenon_id", "ticket_id"),
)

phenomenon_causes = Table(
    "phenomenon_causes",
    metadata,
    Column("phenomenon_id", Text, ForeignKey("phenomena.phenomenon_id", ondelete="CASCADE"), primary_key=True),
    Column("cause_id", Text, ForeignKey("causes.cause_id", ondelete="CASCADE"), primary_key=True),
    Column("ticket_count", Integer, nullable=False, comment="tickets of the cause that show the phenomenon"),
    Column("why_relevant", Text, nullable=False, comment="of the first of these tickets that says it"),
    Index("ix_phenomenon_causes_cause_id", "cause_id", "ticket_count", "phenomenon_id"),
)

symptom_words = Table(
    "symptom_words",
    metadata,
    Column("word", Text, primary_key=True),
    Column("ticket_count", Integer, nullable=False, comment="tickets whose symptoms hold the word"),
)

ticket_batches = Table(
    "ticket_batches",
    metadata,
    Column("batch_id", BigInteger, Identity(always=True), primary_key=True),
    Column("what", Text, nullable=False, comment="import, edit, delete, feedback, merge, undo or reading"),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("undone", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("what IN ('import', 'edit', 'delete', 'feedback', 'merge', 'undo', 'reading')", name="what"),
)

ticket_changes = Table(
    "ticket_changes",
    metadata,
    Column("batch_id", BigInteger, ForeignKey("ticket_batches.batch_id", ondelete="CASCADE"), primary_key=True),
    Column("ticket_id", Text, primary_key=True),
    Column("before", JSONB, comment="the ticket as it was; null: there was none"),
    Index("ix_ticket_changes_ticket_id", "ticket_id"),
)

ticket_readings = Table(
    "ticket_readings",
    metadata,
    Column("text_hash", Text, primary_key=True, comment="sha256 of the prose that was read"),
    Column("model", Text, nullable=False),
    Column("reading", JSONB, nullable=False, comment="quotations by what they say; {}: the answer was of no use"),
    Column("read_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
)

ticket_orders = Table(
    "ticket_orders",
    metadata,
    Column("order_id", BigInteger, Identity(always=True), primary_key=True),
    Column("model", Text, nullable=False),
    Column("tickets", Integer, nullable=False, comment="the most that are read"),
    Column("tokens", BigInteger, nullable=False, comment="the most that are paid, in and out"),
    _count("tickets_read", "tickets that were read"),
    Column("tokens_used", BigInteger, nullable=False, server_default=text("0")),
    _count("useless", "tickets whose answers were of no use"),
    Column("changed", Integer, comment="tickets that have more than before; null: not applied yet"),
    Column("problem", Text, comment="why it does not get on just now"),
    Column("ordered_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("ended_at", DateTime(timezone=True)),
    Index("uq_ticket_orders_open", text("(true)"), unique=True, postgresql_where=text("ended_at IS NULL")),
)

history_state = Table(
    "history_state",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    _count("tickets", "tickets there are"),
    _count("causes", "causes there are"),
    Column("words", BigInteger, nullable=False, server_default=text("0"), comment="word_count of all tickets together"),
    CheckConstraint("single", name="single"),
)
