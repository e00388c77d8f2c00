"""Figures of a statement over amounts in several units: a column beside them says the currency or the unit of each row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.comments import names_in
from workers.engines.questions.units import unit_of
from workers.engines.questions.words import split_name
from workers.engines.sql.names import KnownTables
from workers.engines.sql.plan_check import is_numeric
from workers.engines.sql.script import Part, Script, read_script
from workers.engines.sql.trees import NotParsed

_SAYS_UNIT = frozenset({"currency", "ccy", "uom", "币种", "货币", "计量单位"})
"""Words in the names of columns that say in which unit a row's amount is."""
_OPEN = ("money", "cent")
"""A unit that is one of several currencies."""
_FIGURES = (exp.Sum, exp.Avg, exp.Min, exp.Max)


@dataclass(frozen=True, slots=True)
class MixedUnit:
    """An amount, and the column that says its unit. Both are `table.column`."""

    amount: str
    unit: str
    values: tuple[str, ...]
    """Units that are known, in the order of the catalogue."""
    place: int | None
    """The place in the result of the unit by which it is grouped; None: figures add or compare amounts of different units."""


def mixed_units(sql: str, dialect: str, tables: Sequence[TableDetail]) -> list[MixedUnit]:
    """The amounts of which a statement makes figures, where they may be in several units. A statement that is not read has none."""
    try:
        script = read_script(sql, tables, dialect, None)
    except NotParsed:
        return []
    part = script.parts[-1]
    return list(dict.fromkeys(found for select in part.tree.find_all(exp.Select) for found in _of_select(script, part, select)))


def _of_select(script: Script, part: Part, select: exp.Select) -> Iterator[MixedUnit]:
    group, where = select.args.get("group"), select.args.get("where")
    fixed = {script.base_column(part, node.this) for node in where.find_all(exp.EQ)} if isinstance(where, exp.Where) else set[object]()
    grouped = [_output(select, each) for each in group.expressions] if isinstance(group, exp.Group) else []
    by = [script.base_column(part, each) for each in grouped]
    shown = [script.base_column(part, each) for each in select.selects]
    for node in select.find_all(*_FIGURES):
        if node.find_ancestor(exp.Select) is not select:
            continue
        for base in filter(None, (script.base_column(part, column) for column in node.find_all(exp.Column))):
            unit = _unit_beside(*base, script.tables)
            if unit is None or unit in fixed or (unit in by and unit not in shown) or _decides(by, *unit):
                continue
            column = _column(*unit)
            place = shown.index(unit) if unit in by else None
            yield MixedUnit(f"{base[0].name}.{base[1]}", f"{unit[0].name}.{column.name}", column.values, place)


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


def _unit_beside(table: TableDetail, amount: str, tables: Sequence[TableDetail]) -> tuple[TableDetail, str] | None:
    """The column that says the unit of an amount: in its table, or in one that its table refers to. None where the amount has a unit by
    its name or comment, or is a number of things."""
    column, known = _column(table, amount), KnownTables(tables)
    unit = unit_of(column)
    if not is_numeric(column) or (unit is not None and unit != _OPEN) or (unit is None and "int" in column.type.lower()):
        return None
    parents = (known.find(key.table) for key in table.foreign_keys)
    for place in (table, *filter(None, parents)):
        for each in place.columns:
            words = {*map(str.lower, split_name(each.name)), *names_in(each.description)}
            if words & _SAYS_UNIT and not is_numeric(each) and (len(each.values) > 1 or (each.distinct or 2) > 1):
                return place, each.name.lower()
    return None


def _column(table: TableDetail, name: str) -> ColumnDetail:
    return next(column for column in table.columns if column.name.lower() == name)
