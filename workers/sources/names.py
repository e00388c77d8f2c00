"""Which table each name in a FROM means: one of the source, or a CTE of the statement itself.

The answer must not depend on how an engine scopes its CTEs, since a name that we take for a CTE and the engine for a table
would slip past the policies. So tables are written with their schema, which no engine takes for a CTE; and a CTE that
is called like a table gets another name, so that an engine that does not see it there finds nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from contracts.sources import Lock
from contracts.statements import Name, say
from workers.errors import StatementRefused
from workers.sources.functions import FROM_ALLOWED, names_of
from workers.sources.schema import KnownTable, SourceSchema


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in the place of a table: a table, a CTE, or neither (`unknown`). A table function is not one of these."""

    node: exp.Table
    table: KnownTable | None = None
    cte: exp.CTE | None = None

    @property
    def unknown(self) -> bool:
        """Neither a table of the source nor a CTE."""
        return self.table is None and self.cte is None


Scope = dict[str, exp.CTE]


def references(tree: exp.Expr, schema: SourceSchema, *, search: tuple[str, ...] = ()) -> list[Reference]:
    """Every name in the place of a table, wherever it is in the tree. `search`: schemas that are looked in first."""
    return list(_visit(tree, {}, schema, search))


def _visit(node: exp.Expr, scope: Scope, schema: SourceSchema, search: tuple[str, ...]) -> Iterator[Reference]:
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func):
        yield _reference(node, scope, schema, search)
    with_ = node.args.get("with_")
    if isinstance(with_, exp.With):
        scope = dict(scope)
        for cte in with_.expressions:
            name = _folded(cte.args["alias"].this, schema)
            body = {**scope, name: cte} if with_.args.get("recursive") else scope
            yield from _visit(cte.this, body, schema, search)
            scope[name] = cte
    for child in node.iter_expressions():
        if child is not with_:
            yield from _visit(child, scope, schema, search)


def _reference(node: exp.Table, scope: Scope, schema: SourceSchema, search: tuple[str, ...]) -> Reference:
    if not isinstance(node.this, exp.Identifier) or node.args.get("catalog"):
        return Reference(node)
    name, place = _folded(node.this, schema), node.args.get("db")
    if place is None and name in scope:
        return Reference(node, cte=scope[name])
    return Reference(node, table=schema.find(None if place is None else _folded(place, schema), name, search=search))


def _folded(identifier: exp.Expr, schema: SourceSchema) -> str:
    return schema.fold(identifier.name, quoted=bool(identifier.args.get("quoted")))


def write_in_full(tree: exp.Expr, schema: SourceSchema, *, search: tuple[str, ...] = ()) -> list[Reference]:
    """Give every table its schema, and every CTE that is called like a table another name. Changes the tree."""
    found = references(tree, schema, search=search)
    taken = set(schema.names) | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    renamed = {id(cte): _fresh(cte.alias, taken) for cte in tree.find_all(exp.CTE) if cte.alias.lower() in schema.names}
    for reference in found:
        node = reference.node
        if reference.table is not None:
            _keep_alias(node)
            node.set("this", exp.to_identifier(reference.table.name, quoted=True))
            node.set("db", exp.to_identifier(reference.table.schema, quoted=True))
        elif reference.cte is not None and id(reference.cte) in renamed:
            _keep_alias(node)
            node.set("this", exp.to_identifier(renamed[id(reference.cte)], quoted=True))
    _drop_schemas_of_columns(tree, schema)
    for cte in tree.find_all(exp.CTE):
        if id(cte) in renamed:
            cte.args["alias"].set("this", exp.to_identifier(renamed[id(cte)], quoted=True))
    return found


def _drop_schemas_of_columns(tree: exp.Expr, schema: SourceSchema) -> None:
    """`sales.orders.id` becomes `orders.id`: the table has its plain name as an alias."""
    places = {schema.key(table.schema) for table in schema.tables}
    for column in tree.find_all(exp.Column):
        place = column.args.get("db")
        if place is not None and schema.fold(place.name, quoted=bool(place.args.get("quoted"))) in places:
            column.set("db", None)
            column.set("catalog", None)


def _keep_alias(node: exp.Table) -> None:
    """What the rest of the statement calls it stays its name."""
    alias = node.args.get("alias")
    if alias is None:
        node.set("alias", exp.TableAlias(this=node.this.copy()))
    elif alias.args.get("this") is None:
        alias.set("this", node.this.copy())


def _fresh(name: str, taken: set[str]) -> str:
    number = 1
    while (made := f"{name.lower()}_cte{number}") in taken:
        number += 1
    taken.add(made)
    return made


def check_table_functions(tree: exp.Expr, lock: Lock) -> None:
    """Functions in the place of a table read nothing but their arguments. Raises `StatementRefused`."""
    for node in tree.find_all(exp.Table):
        if isinstance(node.this, exp.Func) and not names_of(node.this) & FROM_ALLOWED:
            raise StatementRefused(lock, say("refused.source.table_function", function=Name(text=sorted(names_of(node.this))[0])))
