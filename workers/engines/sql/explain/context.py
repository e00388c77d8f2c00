"""What the words for an expression depend on: the query in which it is written."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from contracts.statements import Value
from workers.engines.sql.repair.mend import alias_of


@dataclass(slots=True)
class Numbers:
    """The numbers of the sub-queries of a statement, in the order in which they are met."""

    by_node: dict[int, int] = field(default_factory=dict[int, int])

    def of(self, query: exp.Expr) -> int:
        """The number of a sub-query."""
        return self.by_node.setdefault(id(query), len(self.by_node) + 1)


@dataclass(frozen=True, slots=True)
class Context:
    """A query and those around it."""

    dialect: str
    numbers: Numbers
    condition: "Describe"
    """Puts a condition into words. Conditions hold values, and values such as CASE hold conditions."""
    select: exp.Select | None = None
    sources: dict[str, str] = field(default_factory=dict[str, str])
    """Alias, lower case → how the source is called in the text."""
    outer: "Context | None" = None

    def source(self, alias: str) -> str:
        """What a qualifier is called in the text."""
        found = self.sources.get(alias.lower())
        if found is not None:
            return found
        return self.outer.source(alias) if self.outer is not None else alias

    def column(self, node: exp.Column) -> str:
        """A column's name, with its source where the query reads several."""
        is_own = node.table.lower() in self.sources
        if not node.table or (is_own and len(self.sources) == 1):
            return node.name
        return f"{self.source(node.table)}.{node.name}"


Describe = Callable[[exp.Expr, Context], Value]
"""Puts an expression into words."""


def context_of(select: exp.Select, outer: Context) -> Context:
    """The context of a query: a table is called by its name, by its alias too where the query reads it twice."""
    nodes = _sources(select)
    names = Counter(node.name for node in nodes if isinstance(node, exp.Table))
    sources: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, exp.Table):
            is_twice = names[node.name] > 1
            sources[alias_of(node).lower()] = alias_of(node) if is_twice or not node.name else node.name
        elif node.alias:
            sources[node.alias.lower()] = node.alias
    return Context(outer.dialect, outer.numbers, outer.condition, select, sources, outer)


def _sources(select: exp.Select) -> list[exp.Expr]:
    start = select.args.get("from_")
    joins: list[exp.Expr] = select.args.get("joins") or []
    laterals: list[exp.Expr] = select.args.get("laterals") or []
    return [*([start.this] if isinstance(start, exp.From) else []), *(join.this for join in joins), *laterals]
