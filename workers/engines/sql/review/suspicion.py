"""What a rule suspects, and how it can be shown on rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import Value
from workers.engines.sql.sandbox import Row, Table
from workers.engines.sql.script import Part

Edit = Callable[[exp.Expr], exp.Expr | None]
"""Changes a node in place, or returns what replaces it."""


class Rounds(StrEnum):
    """How often the script runs before its result is looked at, and what happens to the tables in between."""

    SINGLE = "single"
    AGAIN = "again"
    """A second time on the same rows."""
    MORE = "more"
    """Rows are added before the second time."""
    REPLACED = "replaced"
    """Other rows take the place of the first before the second time."""


@dataclass(frozen=True)
class Meant:
    """The correction: what is put in the place of nodes, by statement."""

    part: Part
    edits: tuple[tuple[exp.Expr, Edit], ...]


@dataclass(frozen=True)
class Expected:
    """What the result must hold, by the tables that the script reads."""

    meant: str
    """A query for the sandbox over these tables."""
    given: Callable[[Table, Table], Table]
    """The same of a result; its second argument is what is meant."""


@dataclass(frozen=True)
class Suspicion:
    """A possible defect."""

    defect: Defect
    part: Part | None
    node: exp.Expr | None
    """Where it is."""
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    """Of the messages `sql_review.<defect>.summary` and `.advice`."""
    meant: Sequence[Meant] | None = None
    """The script that is meant; rows on which both differ are the counterexample."""
    with_others: Sequence[Meant] | None = None
    """The same with the corrections of what else is wrong by the same cause: what the script should give."""
    wrong: Callable[[Table], Sequence[Row]] | None = None
    """Rows of a result that are wrong by themselves."""
    widened: tuple[tuple[str, str, str], ...] = ()
    """(table, column, type): what is meant has this type instead."""
    rounds: Rounds = Rounds.SINGLE
    blocks: bool = True
    """False: shown or not, it is a warning, since the statement may be meant so."""
    needs_nulls_in: tuple[tuple[str, str], ...] = ()
    """(table, column) that must hold nulls for it to show."""
    once: bool = False
    """The result of one run is what is meant of two."""
    expected: Expected | None = None
    without: tuple[tuple[str, ...], ...] = ()
    """Ways to take rows away before a run, each of some statements for the sandbox: the result is meant to be the same by one of them."""
    compares_at_once: bool = False
    """The result of one run on the last rows is what is meant of several."""
    days_pass: bool = False
    """The first run is of the day before the second. What is meant is that all rows are there from the first run on."""
    at_once: tuple[str, ...] = ()
    """Only these columns of it are compared."""

    @property
    def can_be_tried(self) -> bool:
        """Something says what would be wrong."""
        says = (self.widened, self.once, self.without, self.compares_at_once, self.days_pass)
        return self.meant is not None or self.wrong is not None or self.expected is not None or any(says)


def same_place(tree: exp.Expr, copy: exp.Expr, node: exp.Expr) -> exp.Expr | None:
    """The node of a copy that is where `node` is in `tree`."""
    for ours, theirs in zip(tree.walk(), copy.walk(), strict=True):
        if ours is node:
            return theirs
    return None


def edited(part: Part, edits: Sequence[tuple[exp.Expr, Edit]]) -> exp.Expr:
    """A copy of a statement with nodes changed."""
    copy = part.tree.copy()
    found = [(same_place(part.tree, copy, node), edit) for node, edit in edits]
    for node, edit in found:
        if node is None:
            continue
        made = edit(node)
        if made is not None and made is not node:
            if node is copy:
                copy = made
            else:
                node.replace(made)
    return copy
