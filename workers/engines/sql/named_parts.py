"""Named queries that a statement reads, put into it as WITH clauses."""

from collections.abc import Mapping

from sqlglot import exp

from workers.engines.sql.trees import ctes_of


def with_parts(tree: exp.Expr, named: Mapping[str, exp.Query]) -> exp.Expr:
    """The statement with the queries that it reads, directly or by way of others; each may read those before it. They come before the WITH
    clause that a query has already. A name that the statement gives itself means its own."""
    tree, lower = tree.copy(), {name.lower(): query for name, query in named.items()}
    for table in list(tree.find_all(exp.Table)):
        is_read = table.arg_key == "using" or isinstance(table.parent, exp.From | exp.Join)
        if is_read and not table.db and table.name.lower() in lower and table.find_ancestor(exp.Query) is None:
            table.replace(exp.select("*").from_(exp.to_table(table.name)).subquery(table.alias_or_name))
    outermost = [query for query in tree.find_all(exp.Query) if query.find_ancestor(exp.Query) is None]
    for query in outermost:
        _put_before(query.unnest(), lower)
    return tree


def _put_before(query: exp.Expr, named: Mapping[str, exp.Query]) -> None:
    wanted, own = _mentioned(query), {cte.alias_or_name.lower() for cte in query.find_all(exp.CTE)}
    for name, part in reversed(list(named.items())):
        if name in wanted:
            wanted |= _mentioned(part)
    parts = [
        exp.CTE(this=part.copy(), alias=exp.TableAlias(this=exp.to_identifier(name)))
        for name, part in named.items()
        if name in wanted and name not in own
    ]
    if not parts:
        return
    clause = ctes_of(query)
    if clause is None:
        query.set("with_", exp.With(expressions=parts))
    else:
        clause.set("expressions", [*parts, *clause.expressions])


def _mentioned(tree: exp.Expr) -> set[str]:
    return {table.name.lower() for table in tree.find_all(exp.Table) if not table.db}
