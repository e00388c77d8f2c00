"""The tables of experience: the pieces of advice of the skill packs, and what users said of advice that was given them.

`experience` is derived from the packs' files and may be rebuilt at any time; its vectors are in `embeddings`.
`experience_feedback` is what humans said: it outlives the jobs it was said of, and the pieces.
"""

from sqlalchemy import CheckConstraint, Column, DateTime, Index, Integer, SmallInteger, Table, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY, TSVECTOR

from workers.blackboard.tables import metadata

experience = Table(
    "experience",
    metadata,
    Column("experience_id", Text, primary_key=True, comment="PACK/SLUG: one piece of advice, in any language"),
    Column("language", Text, primary_key=True),
    Column("pack", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("tuning_class", Text, nullable=False),
    Column("kinds", ARRAY(Text), nullable=False, comment="of verdicts that it is about"),
    Column("engines", ARRAY(Text), nullable=False),
    Column("remedies", ARRAY(Text), nullable=False, comment="kinds of fixes that it describes"),
    Column("priority", SmallInteger, nullable=False, comment="of its pack: decides between equals"),
    Column("text", Text, nullable=False),
    Column("words", TSVECTOR, nullable=False, comment="of title and text"),
    Column("word_count", Integer, nullable=False),
    Column("content_hash", Text, nullable=False, comment="of all of the piece, as its file has it"),
    Index("ix_experience_words", "words", postgresql_using="gin"),
)

experience_feedback = Table(
    "experience_feedback",
    metadata,
    Column("job_id", Uuid, primary_key=True, comment="no foreign key: what was learnt stays when the job is purged"),
    Column("fix_id", Text, primary_key=True),
    Column("experience_ids", ARRAY(Text), nullable=False, comment="that the fix was taken from; none: it speaks for all of its remedy"),
    Column("fix_kind", Text, nullable=False),
    Column("tuning_class", Text, nullable=False, comment="of the job"),
    Column("verdict", Text, nullable=False),
    Column("given_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    CheckConstraint("verdict IN ('adopted', 'ignored')", name="verdict"),
    Index("ix_experience_feedback_tuning_class", "tuning_class"),
)
