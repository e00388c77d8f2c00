"""What single clauses of a query mean: hints, ordinals and aliases, named windows, what is yielded under which name."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from sqlglot import exp

from contracts.verdicts import ColumnRef
from workers.engines.scripts.ledger import View
from workers.engines.scripts.words import table_of
from workers.engines.sql.operations.scope import Keys, Scope, columns, equalities


def hints(select: exp.Expr, wanted: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """The query's hints of these names in capitals, each with its words: tables in lower case, columns, numbers."""
    clause = select.args.get("hint")
    hints = clause.expressions if isinstance(clause, exp.Hint) else []
    for hint in [each for each in hints if isinstance(each, exp.Expr)]:  # a broken hint is kept as a text
        name = (hint.name if isinstance(hint, exp.Anonymous | exp.JoinHint | exp.Var | exp.Column) else hint.key).upper()
        if name in wanted:
            arguments = hint.expressions or ([hint.this] if isinstance(hint.this, exp.Literal) else [])
            yield name, [argument.name.lower() for argument in arguments]


def grouping(expressions: Iterable[exp.Expr], chosen: list[exp.Expr], scope: Scope) -> Keys:
    """The keys of a GROUP BY: `2` is the second column chosen, an alias what it was given to."""
    aliases = _aliases(chosen)
    return scope.keys(_meant(expression, chosen, aliases) for expression in expressions)


def ordering(expressions: Iterable[exp.Expr], chosen: list[exp.Expr], scope: Scope) -> Keys:
    """The keys of an ORDER BY, which may name a computed column by its alias."""
    aliases = _aliases(chosen)
    keys: Keys = {}
    for expression in expressions:
        named = expression.this if isinstance(expression, exp.Ordered) else expression
        meant = _meant(named, chosen, aliases)
        alias = meant.parent.alias if isinstance(meant.parent, exp.Alias) and not isinstance(meant, exp.Column) else ""
        keys |= {(alias, ColumnRef(column=alias)): None} if alias else scope.keys([meant])
    return keys


def _aliases(chosen: list[exp.Expr]) -> dict[str, exp.Expr]:
    return {column.alias.lower(): column.this for column in reversed(chosen) if isinstance(column, exp.Alias)}


def _meant(expression: exp.Expr, chosen: list[exp.Expr], aliases: Mapping[str, exp.Expr]) -> exp.Expr:
    if isinstance(expression, exp.Literal) and not expression.is_string and expression.name.isdecimal() and len(expression.name) < 5:
        place = int(expression.name)
        return chosen[place - 1].unalias() if 0 < place <= len(chosen) else expression
    if isinstance(expression, exp.Column) and not expression.table:
        return aliases.get(expression.name.lower(), expression)
    return expression


def partition_of(window: exp.Window, named: Mapping[str, exp.Expr]) -> list[exp.Expr]:
    """What a window is partitioned by, there or where it was named."""
    own = window.args.get("partition_by")
    elsewhere = named.get(window.alias.lower()) if window.alias else None
    return list(own or (elsewhere.args.get("partition_by") if elsewhere is not None else None) or ())


def sides(scope: Scope, column: str, alias: str) -> Iterator[ColumnRef]:
    """Where a column of USING comes from: one table among those before, and the one that is joined."""
    before = [view for name, view in scope.views.items() if name != alias]
    known = [view for view in before if column.lower() in view.columns] or before
    yield from [origin for view in known if (origin := view.origin(column))][:1]
    joined = scope.views[alias].origin(column)
    if joined:
        yield joined


def crossing(scope: Scope, where: exp.Expr | None, alias: str) -> Keys:
    """The keys of a join that its FROM does not tell: what WHERE sets equal between the table and one before it."""
    keys: Keys = {}
    for left, right in equalities(where) if where is not None else ():
        tables = [{column.table.lower() for column in columns(side)} for side in (left, right)]
        is_pair = all(len(names) == 1 for names in tables) and tables[0] != tables[1] and {alias} in tables
        if is_pair and all(name in scope.views for names in tables for name in names):
            keys |= scope.keys([left, right])
    return keys


def correlated(query: exp.Expr, outer: Scope) -> Keys:
    """What a query in brackets sets equal to the columns of the query around it."""
    where = query.args.get("where")
    inner = {table.alias_or_name.lower(): table_of(table.name) for table in query.find_all(exp.Table) if table.name}
    keys: Keys = {}
    for left, right in equalities(where) if where is not None else ():
        named = [column for side in (left, right) for column in columns(side) if column.table]
        if any(column.table.lower() not in inner and outer.has(column) for column in named):
            keys |= outer.keys(column for column in named if outer.has(column))
            within = [column for column in named if not outer.has(column)]
            keys |= {(column.name, ColumnRef(table=inner.get(column.table.lower(), ""), column=column.name)): None for column in within}
    return keys


def yielded(chosen: list[exp.Expr], scope: Scope) -> tuple[dict[str, ColumnRef], bool]:
    """The columns a query yields, each with its origin; and whether there are more, by a star."""
    found: dict[str, ColumnRef] = {}
    is_open = False
    for selected in chosen:
        if selected.is_star:
            found |= merged(scope)
            is_open = is_open or any(view.is_open for view in scope.views.values())
        elif selected.alias_or_name:
            inner = selected.unalias()
            found[selected.alias_or_name.lower()] = (
                scope.origin(inner) if isinstance(inner, exp.Column) else ColumnRef(column=selected.alias_or_name)
            )
    return found, is_open


def merged(scope: Scope) -> dict[str, ColumnRef]:
    """What is known of the columns of everything in a FROM."""
    return {name: origin for view in scope.views.values() for name, origin in view.columns.items()}


def renamed(view: View, node: exp.Expr) -> View:
    """A view under an alias that may give its columns new names: `AS t (a, b)`."""
    alias = node.args.get("alias")
    names = [column.name for column in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return view
    return View(view.flow, dict(zip((name.lower() for name in names), view.columns.values(), strict=False)), is_open=False)


def computed(node: exp.Expr) -> dict[str, ColumnRef]:
    """The columns that a function, or a list of values, makes under an alias."""
    alias = node.args.get("alias")
    names = [column.name for column in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    return {name.lower(): ColumnRef(column=name) for name in names}
