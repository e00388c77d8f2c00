"""A mend: a statement that is changed in one respect because of one error."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.sql_errors import SqlError
from contracts.statements import Statement
from contracts.tables import TableDetail


@dataclass(frozen=True, slots=True)
class Broken:
    """A statement that the engine refuses, and why."""

    tree: exp.Expr
    error: SqlError
    tables: Sequence[TableDetail]
    dialect: str

    @property
    def name(self) -> str:
        """The first name that the error speaks of; empty: none."""
        return self.error.names[0] if self.error.names else ""

    def columns_named(self, name: str) -> list[exp.Column]:
        """The columns of the statement that are written like this, with or without the qualifier."""
        qualifier, _, column = name.lower().rpartition(".")
        return [
            node
            for node in self.tree.find_all(exp.Column)
            if node.name.lower() == column and (not qualifier or node.table.lower() == qualifier.rpartition(".")[2])
        ]


@dataclass(frozen=True, slots=True)
class Mend:
    """A changed statement."""

    tree: exp.Expr
    why: Statement
    cost: float
    """How doubtful it is: 1 for what the error leaves no choice about, more for guesses."""


Mender = Callable[[Broken], Iterator[Mend]]


def changed(root: exp.Expr, node: exp.Expr, instead: exp.Expr | None) -> exp.Expr:
    """A copy of a tree with another node in the place of one of its nodes, or without it."""
    return replaced(root, {id(node): instead})


def replaced(root: exp.Expr, instead: Mapping[int, exp.Expr | None]) -> exp.Expr:
    """A copy of a tree with other nodes in the places of some, by `id`. None removes a node."""
    order = [id(node) for node in root.walk(bfs=False)]
    copy = root.copy()
    for old, node in zip(order, list(copy.walk(bfs=False)), strict=True):
        if old not in instead:
            continue
        new = instead[old]
        if node is copy and new is not None:
            return new.copy()
        if new is None:
            node.pop()
        else:
            node.replace(new.copy())
    return copy


def select_of(node: exp.Expr) -> exp.Select | None:
    """The query in which a node is written."""
    return node.find_ancestor(exp.Select)


def sources_of(select: exp.Select) -> list[exp.Table]:
    """The tables that a query's own FROM and JOIN name."""
    start = select.args.get("from_")
    items = [start.this] if isinstance(start, exp.From) else []
    joins: list[exp.Expr] = select.args.get("joins") or []
    items += [join.this for join in joins]
    return [item for item in items if isinstance(item, exp.Table)]


def alias_of(table: exp.Table) -> str:
    """The name by which a table's columns are reached."""
    return table.alias or table.name


def detail_of(table: exp.Table, tables: Sequence[TableDetail]) -> TableDetail | None:
    """What is known of a table that a statement names."""
    fitting = [detail for detail in tables if detail.name.lower() == table.name.lower()]
    exact = [detail for detail in fitting if detail.schema_name.lower() == table.db.lower()]
    return next(iter(exact or fitting), None)


def column_names(table: exp.Table, broken: Broken) -> list[str]:
    """The columns of a table or of a CTE, as far as they are known."""
    for cte in broken.tree.find_all(exp.CTE):
        if cte.alias.lower() == table.name.lower() and not table.db and isinstance(cte.this, exp.Query):
            return [name for name in cte.this.named_selects if name and name != "*"]
    detail = detail_of(table, broken.tables)
    return [column.name for column in detail.columns] if detail else []
