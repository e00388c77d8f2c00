"""The tables of vectors, beside the blackboard's on the same metadata. Whose vectors they hold, the domains say."""

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import Boolean, CheckConstraint, Column, SmallInteger, Table, Text

from workers.blackboard.tables import metadata

embeddings = Table(
    "embeddings",
    metadata,
    Column("owner_kind", Text, primary_key=True),
    Column("owner_id", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("dim", SmallInteger, nullable=False),
    Column("vector", VECTOR(), nullable=False),
    CheckConstraint("vector_dims(vector) = dim", name="dim"),
)

embedding_models = Table(
    "embedding_models",
    metadata,
    Column("owner_kind", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("ready", Boolean, nullable=False, comment="whether searches of this kind may go by the vectors of this model"),
)
