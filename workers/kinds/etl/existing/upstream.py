"""The queries of other files and models that a statement reads, brought along as named queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from workers.engines.requirements.naming import free_name, plain_name

MOST_QUERIES = 50
"""As many as a specification may have. The nearest are brought; what is behind them is read as tables of the source."""
MOST_CHARACTERS = 120_000
"""Of the queries together, so that the specification can be read."""


@dataclass(frozen=True, slots=True)
class Brought:
    """Statements with the named queries that they read."""

    trees: tuple[exp.Expr, ...]
    queries: tuple[tuple[str, str], ...]
    """Name and SQL; each reads only those before it."""
    left: tuple[str, ...] = ()
    """What would have been too much: these are read as tables of the source."""


def bring(trees: Sequence[exp.Expr], find: Callable[[exp.Table], str | None], query_of: Mapping[str, exp.Query], dialect: str) -> Brought:
    """`find`: which of the queries of `query_of` a table of a statement is."""
    chosen: dict[str, exp.Query] = {}
    left: dict[str, None] = {}
    characters, waiting = 0, list(trees)
    while waiting:
        for table in _tables(waiting.pop(0)):
            key = find(table)
            if key is None or key not in query_of or key in chosen or key in left:
                continue
            characters += len(query_of[key].sql(dialect=dialect))
            if len(chosen) == MOST_QUERIES or characters > MOST_CHARACTERS:
                left[key] = None
                continue
            chosen[key] = query_of[key].copy()
            waiting.append(chosen[key])
    taken = {cte.alias_or_name.lower() for tree in (*trees, *chosen.values()) for cte in tree.find_all(exp.CTE)}
    names: dict[str, str] = {}
    for key in chosen:
        names[key] = free_name(plain_name(key.rpartition(".")[2], "part")[:50], taken)
        taken.add(names[key])
    order = _ordered(chosen, find)
    renamed = [_renamed(tree, find, names, keep=()) for tree in trees]
    queries = [(names[key], _renamed(chosen[key], find, names, keep=order[place:])) for place, key in enumerate(order)]
    return Brought(tuple(renamed), tuple((name, tree.sql(dialect=dialect, pretty=True)) for name, tree in queries), tuple(left))


def _tables(tree: exp.Expr) -> list[exp.Table]:
    """The tables that a statement reads; names that it gives itself are none."""
    own = {cte.alias_or_name.lower(): cte for cte in tree.find_all(exp.CTE)}
    return [table for table in tree.find_all(exp.Table) if table.db or not _is_own(table, own)]


def _is_own(table: exp.Table, own: Mapping[str, exp.CTE]) -> bool:
    cte = own.get(table.name.lower())
    if cte is None:
        return False
    within = table.find_ancestor(exp.CTE)  # WITH orders AS (SELECT * FROM orders): the inner name is the table
    while within is not None and within is not cte:
        within = within.find_ancestor(exp.CTE)
    return within is None


def _ordered(chosen: Mapping[str, exp.Query], find: Callable[[exp.Table], str | None]) -> list[str]:
    """What is read comes before what reads it. In a circle, one is read as a table."""
    reads = {key: {found for table in _tables(tree) if (found := find(table)) in chosen} for key, tree in chosen.items()}
    order: list[str] = []
    left = list(chosen)
    while left:
        key = next((key for key in left if not reads[key] - set(order) - {key}), left[0])
        order.append(key)
        left.remove(key)
    return order


def _renamed(tree: exp.Expr, find: Callable[[exp.Table], str | None], names: Mapping[str, str], keep: Sequence[str]) -> exp.Expr:
    """The statement with the names of the queries. `keep`: those that stay tables here."""
    made = tree.copy()
    for table in _tables(made):
        key = find(table)
        if key is None or key not in names or key in keep or not _is_read(table):
            continue
        alias = table.alias_or_name
        table.set("db", None)
        table.set("catalog", None)
        table.set("this", exp.to_identifier(names[key]))
        if alias != names[key] and not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return made


def _is_read(table: exp.Table) -> bool:
    return table.arg_key == "using" or isinstance(table.parent, exp.From | exp.Join)
