"""Rows of a FROM item that get numbers, so that a correction counts each of them once."""

from sqlglot import exp

from contracts.statements import Listing, listing, name
from workers.engines.sql.names import Scope, Source
from workers.engines.sql.review.suspicion import Edit


def called(*sources: Source) -> Listing:
    """The tables of FROM items, for a sentence."""
    return listing(*(name(source.table_name or source.alias) for source in sources))


def row_of(scope: Scope, source: Source) -> str:
    """The column that holds the numbers of its rows."""
    return f"_row{list(scope.sources.values()).index(source)}"


def numbered(scope: Scope, source: Source) -> Edit:
    """The edit of a FROM item by which its rows get numbers."""

    def number_rows(copy: exp.Expr) -> exp.Expr:
        bare = copy.copy()
        bare.set("alias", None)
        for key in ("joins", "laterals"):
            bare.set(key, None)
        inner = exp.select("*", f"ROW_NUMBER() OVER () AS {row_of(scope, source)}").from_(
            bare if not isinstance(bare, exp.Subquery) else exp.alias_(bare, "_rows")
        )
        made = exp.alias_(exp.Subquery(this=inner), source.alias, table=list(source.column_aliases) or True)
        if copy.args.get("joins"):
            made.set("joins", [join.copy() for join in copy.args["joins"]])
        return made

    return number_rows
