"""What a table and its columns are, as comments of the database."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from contracts.pipelines.script import SqlScript
from workers.engines.pipelines.package.contents import Contents
from workers.engines.sql.bounded import parse
from workers.engines.sql.trees import table_name

COMMENTED = frozenset({"duckdb", "postgres", "redshift", "snowflake"})
"""Dialects with COMMENT ON, for tables and for columns."""


def comments_of(contents: Contents, script: SqlScript) -> Iterator[str]:
    """The statements that leave the descriptions of the table that was asked for in the database; none for a table on the way to it."""
    if contents.is_final(script):
        columns = ((column.name, column.description) for column in contents.columns(script))
        made = creation_of(script.statements, script.target, contents.dialect)
        yield from comments_on(made or exp.to_table(script.target, dialect=contents.dialect), contents.about, columns, contents.dialect)


def creation_of(statements: Sequence[str], target: str, dialect: str) -> exp.Create | None:
    """The statement that makes a table; None: it is there already."""
    trees = (tree for statement in statements for tree in parse(statement, dialect))
    made = [tree for tree in trees if isinstance(tree, exp.Create) and tree.kind == "TABLE"]
    return next((tree for tree in made if table_name(_table(tree)).lower() == target.lower()), None)


def comments_on(made: exp.Create | exp.Table, about: str, columns: Iterable[tuple[str, str]], dialect: str) -> Iterator[str]:
    """The comments on a table and on its columns (name, description), as far as they are described; none where the dialect has none. Of a
    table that is `made` here, names are spelt as the statement spells them, and a column that it does not name has no comment."""
    if dialect not in COMMENTED:
        return
    table, spelt = (_table(made), _spelt(made)) if isinstance(made, exp.Create) else (made, None)
    if about:
        yield _comment("TABLE", table, about, dialect)
    for name, description in columns:
        column = exp.to_identifier(name, quoted=True) if spelt is None else spelt.get(name, spelt.get(name.casefold()))
        if description and column is not None:
            parts = [part.copy() for part in table.parts]
            place = exp.Column(this=column.copy(), table=parts[-1], db=parts[-2] if len(parts) > 1 else None)
            yield _comment("COLUMN", place, description, dialect)


def _table(made: exp.Create) -> exp.Table:
    return made.this.this if isinstance(made.this, exp.Schema) else made.this


def _spelt(made: exp.Create) -> dict[str, exp.Identifier]:
    """The columns of a new table as its statement spells them, each by its name and by its name in small letters."""
    listed: list[Any] = made.this.expressions if isinstance(made.this, exp.Schema) else getattr(made.expression, "selects", [])
    names = (item.args.get("alias") or item.this for item in listed if isinstance(item, exp.Alias | exp.Column | exp.ColumnDef))
    found = [item for item in (*listed, *names) if isinstance(item, exp.Identifier)]
    return {item.name.casefold(): item for item in found} | {item.name: item for item in found}


def _comment(kind: str, place: exp.Expr, text: str, dialect: str) -> str:
    return exp.Comment(this=place, kind=kind, expression=exp.Literal.string(" ".join(text.split()))).sql(dialect=dialect)
