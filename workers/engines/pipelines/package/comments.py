"""What a table and its columns are, as comments of the database."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.pipelines.script import SqlScript
from workers.engines.pipelines.package.contents import Contents

COMMENTED = frozenset({"duckdb", "postgres", "redshift", "snowflake"})
"""Dialects with COMMENT ON, for tables and for columns."""


def comments_of(contents: Contents, script: SqlScript) -> Iterator[str]:
    """The statements that leave the descriptions of the table that was asked for in the database; none for a table on the way to it."""
    if not contents.is_final(script) or contents.dialect not in COMMENTED:
        return
    table = exp.to_table(script.target, dialect=contents.dialect)
    if contents.about:
        yield _comment("TABLE", table, contents.about, contents.dialect)
    for column in contents.columns(script):
        if column.description:
            parts = [part.copy() for part in table.parts]
            place = exp.Column(this=exp.to_identifier(column.name, quoted=True), table=parts[-1], db=parts[-2] if len(parts) > 1 else None)
            yield _comment("COLUMN", place, column.description, contents.dialect)


def _comment(kind: str, place: exp.Expr, text: str, dialect: str) -> str:
    return exp.Comment(this=place, kind=kind, expression=exp.Literal.string(" ".join(text.split()))).sql(dialect=dialect)
