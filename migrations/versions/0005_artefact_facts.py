"""What parsers made of artefacts: a cache."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "artefact_facts",
        sa.Column("sha256", sa.Text(), nullable=False, comment="of the artefact's bytes"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("parser", sa.Text(), nullable=False, comment="name and version"),
        sa.Column(
            "read_as",
            sa.Text(),
            nullable=False,
            comment="hash of what else the facts depend on: the artefact's name, the attempt asked for",
        ),
        sa.Column("facts", sa.LargeBinary(), nullable=False, comment="zlib-compressed canonical JSON of what was parsed"),
        sa.Column("size_bytes", sa.Integer(), nullable=False, comment="of `facts`"),
        sa.Column("used_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False, comment="the oldest go first"),
        sa.PrimaryKeyConstraint("sha256", "kind", "parser", "read_as", name=op.f("pk_artefact_facts")),
    )
    op.create_index("ix_artefact_facts_used_at", "artefact_facts", ["used_at"], postgresql_include=["size_bytes"])


def downgrade() -> None:
    op.drop_table("artefact_facts")
