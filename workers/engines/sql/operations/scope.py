"""The names of a query: which table a column comes from, and which columns a condition compares."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from contracts.verdicts import ColumnRef
from workers.engines.scripts.ledger import View
from workers.engines.sql.operations.statements import is_stand_in
from workers.engines.sql.trees import within

Keys = dict[tuple[str, ColumnRef], None]
"""(name as it is written, where it comes from), each once, in order."""


class Scope:
    """The sources of a query's FROM, by the names under which their columns are reached."""

    def __init__(self, outer: "Scope | None" = None) -> None:
        self.views: dict[str, View] = {}
        self.outer = outer

    def has(self, column: exp.Column) -> bool:
        """It names one of this query's own."""
        return column.table.lower() in self.views

    def origin(self, column: exp.Column) -> ColumnRef:
        """Where a column comes from; without a table where the query does not tell."""
        nowhere = ColumnRef(column=column.name)
        if column.table:
            view = self.views.get(column.table.lower())
            if view is None:
                return self.outer.origin(column) if self.outer else nowhere
            return view.origin(column.name) or nowhere
        views = list(self.views.values())
        telling = [view for view in views if column.name.lower() in view.columns] or [view for view in views if view.is_open]
        return (telling[0].origin(column.name) or nowhere) if len(telling) == 1 else nowhere

    def keys(self, expressions: Iterable[exp.Expr]) -> Keys:
        """The columns in these expressions."""
        return {(column.name, self.origin(column)): None for expression in expressions for column in columns(expression)}

    def compared(self, condition: exp.Expr) -> Keys:
        """The columns that a join's condition sets equal, or, if it sets none equal, all it names."""
        pairs = [pair for pair in equalities(condition) if all(any(True for _ in columns(side)) for side in pair)]
        return self.keys(side for pair in pairs for side in pair) if pairs else self.keys([condition])


def columns(node: exp.Expr) -> Iterator[exp.Column]:
    """The columns named in an expression, in the order of the text; a star is none."""
    for verdict in within(node):
        if isinstance(verdict, exp.Column) and not isinstance(verdict.this, exp.Star) and not is_stand_in(verdict.name):
            yield verdict


def equalities(condition: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """What a condition sets equal."""
    for verdict in within(condition):
        if isinstance(verdict, exp.EQ | exp.NullSafeEQ):
            yield verdict.this, verdict.expression


def queries(node: exp.Expr) -> Iterator[exp.Query]:
    """The queries in brackets inside an expression, the outermost ones."""
    for verdict in within(node):
        if isinstance(verdict, exp.Query) and verdict is not node:
            yield verdict
