"""Figures of a statement over amounts in several units: a column beside them says the currency or the unit of each row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.amounts import is_added_up
from workers.engines.questions.comments import names_in
from workers.engines.questions.units import unit_of
from workers.engines.questions.words import split_name
from workers.engines.sql.conditions import conjuncts
from workers.engines.sql.names import KnownTables, Scope, Source
from workers.engines.sql.plan_check import is_numeric
from workers.engines.sql.script import Part, Script, read_script
from workers.engines.sql.trees import NotParsed, parts_of

_CURRENCY, _MEASURE = frozenset({"currency", "ccy", "币种", "货币"}), frozenset({"uom", "计量单位"})
"""Words in the names of columns that say in which unit a row's amount is."""
_OPEN = ("money", "cent")
"""A unit that is one of several currencies."""
_MONEY = frozenset(
    {"amount", "amt", "balance", "cost", "costs", "fee", "fees", "income", "price", "profit", "revenue", "sales", "tax", "total"}
)
"""Words in the names of amounts of money."""
_MONEY_ZH = ("额", "价", "费", "款")
_FIGURES = (exp.Sum, exp.Avg, exp.Min, exp.Max)

_Column = tuple[TableDetail, str]
"""A column of a known table, in lower case."""


@dataclass(frozen=True, slots=True)
class MixedUnit:
    """An amount, and the column that says its unit. Both are `table.column`."""

    amount: str
    unit: str
    values: tuple[str, ...]
    """Units that are known, in the order of the catalogue."""
    place: int | None
    """The place in the statement's result of the unit by which it is grouped; None: figures add or compare amounts of different units."""


def mixed_units(sql: str, dialect: str, tables: Sequence[TableDetail]) -> list[MixedUnit]:
    """The amounts of which a statement makes figures, where they may be in several units. A statement that is not read has none."""
    try:
        script = read_script(sql, tables, dialect, None)
    except NotParsed:
        return []
    part = script.parts[-1]
    return list(dict.fromkeys(found for scope in part.resolved.scopes for found in _of_scope(script, part, scope)))


def _of_scope(script: Script, part: Part, scope: Scope) -> Iterator[MixedUnit]:
    by = _grouped(script, part, scope)
    for figure in _figures_of(scope):
        whole: exp.Expr = figure
        while isinstance(whole.parent, exp.Filter | exp.Window) and whole.arg_key == "this":
            whole = whole.parent
        named = [script.base_column(part, column) for column in whole.find_all(exp.Column)]
        for column in figure.find_all(exp.Column):
            base, found = script.base_column(part, column), part.resolved.column(column)
            unit = _unit_beside(*base, script.tables) if base is not None else None
            if base is None or found is None or unit is None or unit in named or _decides(by, *unit):
                continue
            if unit in _fixed(script, part, scope, found.source if unit[0] == base[0] else None):
                continue
            detail = next(each for each in unit[0].columns if each.name.lower() == unit[1])
            for place in _places(script, part, scope, unit) if unit in by else [None]:
                yield MixedUnit(f"{base[0].name}.{base[1]}", f"{unit[0].name}.{detail.name}", detail.values, place)


def _places(script: Script, part: Part, scope: Scope, unit: _Column) -> Iterator[int | None]:
    """Where the result shows the unit by which an inner query is grouped; None: the statement makes figures of its figures. Nothing where
    the result has the figures without their unit."""
    for top in _selects(part.resolved.root):
        by, shown = _grouped(script, part, top), [script.passed_on(part, output) for output in top.outputs]
        columns = [column for figure in _figures_of(top) for column in figure.find_all(exp.Column)]
        if top.columns is None or (top is not scope and unit in _fixed(script, part, top, None)):
            continue
        if unit in shown:
            yield shown.index(unit)
        elif unit not in by and any(script.base_column(part, column) is None for column in columns):
            yield None


def _selects(scope: Scope | None) -> Iterator[Scope]:
    """A query, or the queries of a set operation."""
    if scope is not None and not scope.branches:
        yield scope
    for branch in scope.branches if scope is not None else ():
        yield from _selects(branch)


def _figures_of(scope: Scope) -> list[exp.Expr]:
    select = scope.select
    return [] if select is None else [node for node in select.find_all(*_FIGURES) if node.find_ancestor(exp.Select) is select]


def _grouped(script: Script, part: Part, scope: Scope) -> list[_Column | None]:
    """The columns by which a query is grouped."""
    group = scope.select.args.get("group") if scope.select is not None else None
    if scope.select is None or not isinstance(group, exp.Group):
        return []
    items = scope.select.selects if group.args.get("all") else [_output(scope.select, each) for each in group.expressions]
    return [_passed(script, part, each) for each in items]


def _fixed(script: Script, part: Part, scope: Scope, only: Source | None, seen: frozenset[int] = frozenset()) -> set[_Column | None]:
    """The columns that have one value in all rows of a query. `only`: among the queries that it reads, this one counts; None: all count."""
    if id(scope) in seen:  # a query that reads itself
        return set()
    seen |= {id(scope)}
    if scope.branches:
        branches = [_fixed(script, part, branch, None, seen) for branch in scope.branches]
        return branches[0].intersection(*branches[1:])
    select = scope.select
    joins = [join for join in parts_of(select, "joins") if not join.args.get("side")] if select is not None else []
    conditions: list[exp.Expr | None] = [select.args.get("where"), *(join.args.get("on") for join in joins)] if select is not None else []
    found = set[_Column | None]()
    for condition in (item for each in conditions for item in conjuncts(each)):
        found |= {_passed(script, part, side) for side in _one_value(script, part, condition)}
        found.update(_looked_up(script, part, condition, seen))
    for source in scope.sources.values():
        if source.scope is not None and not source.is_optional and only in (None, source):
            found |= _fixed(script, part, source.scope, None, seen)
    return found


def _one_value(script: Script, part: Part, condition: exp.Expr) -> Iterator[exp.Expr]:
    """What a condition fixes at one value."""
    if isinstance(condition, exp.EQ):
        sides = [condition.this, condition.expression]
        yield from (side for side, other in zip(sides, reversed(sides), strict=True) if _is_one(script, part, other))
    elif isinstance(condition, exp.In) and len(condition.expressions) == 1 and condition.expressions[0].find(exp.Column) is None:
        yield condition.this


def _is_one(script: Script, part: Part, node: exp.Expr) -> bool:
    """A constant, or a query in brackets that reads nothing of the row."""
    columns = list(node.find_all(exp.Column))
    if isinstance(node, exp.Subquery):
        found = script.columns_in(part, node)
        return len(found) == len(columns) and not any(column.is_outer for column in found)
    return not columns


def _looked_up(script: Script, part: Part, condition: exp.Expr, seen: frozenset[int]) -> Iterator[_Column | None]:
    """The columns with one value in the rows that IN (SELECT ...) or EXISTS keeps: what is compared, where the query has one value for it;
    and where it finds rows of a table by their key, what it holds fixed of these."""
    query = condition.args.get("query") if isinstance(condition, exp.In) else condition.this if isinstance(condition, exp.Exists) else None
    node = query.unnest() if isinstance(query, exp.Query) else None
    inner = next((scope for scope in part.resolved.scopes if scope.node is node), None) if node is not None else None
    if inner is None or inner.select is None:
        return
    fixed = _fixed(script, part, inner, None, seen)
    if isinstance(condition, exp.In):
        pairs = [(_passed(script, part, condition.this), script.passed_on(part, inner.outputs[0]))] if len(inner.outputs) == 1 else []
    else:
        where = inner.select.args.get("where")
        equal = [item for item in conjuncts(where) if isinstance(item, exp.EQ)]
        pairs = [sides for item in equal for sides in _outer_first(script, part, item)]
    for outer, key in pairs:
        if outer is None or key is None:
            continue
        if key in fixed:
            yield outer
        if [key[1]] == [column.lower() for column in key[0].primary_key] and (outer == key or _refers(outer, key[0])):
            yield from (each for each in fixed if each is not None and each[0] == key[0])


def _outer_first(script: Script, part: Part, item: exp.EQ) -> Iterator[tuple[_Column | None, _Column | None]]:
    for side, other in ((item.this, item.expression), (item.expression, item.this)):
        found = part.resolved.column(side) if isinstance(side, exp.Column) else None
        if found is not None and found.is_outer:
            yield script.base_column(part, side), script.base_column(part, other)


def _refers(column: _Column, table: TableDetail) -> bool:
    keys = [key for key in column[0].foreign_keys if [name.lower() for name in key.columns] == [column[1]]]
    return any(key.table.rpartition(".")[2] == table.name for key in keys)


def _passed(script: Script, part: Part, node: exp.Expr) -> _Column | None:
    """The column of a known table that is passed on, also in other letters."""
    while isinstance(node, exp.Lower | exp.Upper | exp.Alias | exp.Paren):
        node = node.this
    return script.base_column(part, node)


def _decides(by: Sequence[tuple[TableDetail, str] | None], table: TableDetail, unit: str) -> bool:
    """Whether rows are of one thing, which has one unit: grouped by the key of its table, or by a reference to it."""
    keys = {(table.name, *map(str.lower, table.primary_key))}
    for base in filter(None, by):
        keys |= {(base[0].name, *map(str.lower, key.columns)) for key in base[0].foreign_keys if key.table.rpartition(".")[2] == table.name}
    return unit not in table.primary_key and any((base[0].name, base[1]) in keys for base in by if base is not None)


def _output(select: exp.Select, item: exp.Expr) -> exp.Expr:
    """What a GROUP BY names: by a number the output at that place."""
    place = int(item.name) if isinstance(item, exp.Literal) and item.name.isdigit() else 0
    return select.selects[place - 1] if 0 < place <= len(select.selects) else item


def _unit_beside(table: TableDetail, amount: str, tables: Sequence[TableDetail]) -> _Column | None:
    """The column that says the unit of an amount: in its table, or in one that its table refers to. None where the amount has a unit by
    its name or comment, or is no amount by them. A column may be newer than the catalogue."""
    column, known = next((each for each in table.columns if each.name.lower() == amount), None), KnownTables(tables)
    unit = unit_of(column) if column is not None else None
    if column is None or not is_numeric(column) or (unit is not None and unit != _OPEN):
        return None
    units = (
        _CURRENCY
        if unit is not None or _is_money(column)
        else _MEASURE
        if is_added_up(column.name, column.description)
        else frozenset[str]()
    )
    parents = (known.find(key.table) for key in table.foreign_keys)
    for place in (table, *filter(None, parents)):
        for each in place.columns:
            words = {*map(str.lower, split_name(each.name)), *names_in(each.description)}
            if words & units and not is_numeric(each) and (len(each.values) > 1 or (each.distinct or 2) > 1):
                return place, each.name.lower()
    return None


def _is_money(column: ColumnDetail) -> bool:
    """By its name, or by its Chinese name."""
    words = [word.lower() for word in split_name(column.name)]
    is_chinese = any(name.endswith(_MONEY_ZH) for name in (*words, *names_in(column.description)))
    return is_chinese or (not _MONEY.isdisjoint(words) and {"rate", "count", "id"}.isdisjoint(words))
