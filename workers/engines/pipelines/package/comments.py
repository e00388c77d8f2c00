"""What a table and its columns are, as comments of the database."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from contracts.pipelines.script import SqlScript
from workers.engines.pipelines.package.contents import Contents

COMMENTED = frozenset({"duckdb", "postgres", "redshift", "snowflake"})
"""Dialects with COMMENT ON, for tables and for columns."""


def comments_of(contents: Contents, script: SqlScript) -> Iterator[str]:
    """The statements that leave the descriptions of the table that was asked for in the database; none for a table on the way to it."""
    if contents.is_final(script):
        columns = ((column.name, column.description) for column in contents.columns(script))
        yield from comments_on(script.target, contents.about, columns, contents.dialect)


def comments_on(target: str, about: str, columns: Iterable[tuple[str, str]], dialect: str) -> Iterator[str]:
    """The comments on a table and on its columns (name, description), as far as they are described; none where the dialect has none."""
    if dialect not in COMMENTED:
        return
    table = exp.to_table(target, dialect=dialect)
    if about:
        yield _comment("TABLE", table, about, dialect)
    for name, description in columns:
        if description:
            parts = [part.copy() for part in table.parts]
            place = exp.Column(this=exp.to_identifier(name, quoted=True), table=parts[-1], db=parts[-2] if len(parts) > 1 else None)
            yield _comment("COLUMN", place, description, dialect)


def _comment(kind: str, place: exp.Expr, text: str, dialect: str) -> str:
    return exp.Comment(this=place, kind=kind, expression=exp.Literal.string(" ".join(text.split()))).sql(dialect=dialect)
