"""A statement that a model wrote, held to the definitions of the question's words: their columns and values have to occur in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.queries import Operator
from contracts.questions import UsedDefinition
from workers.engines.questions.asked import Figure, Filter
from workers.engines.questions.grammar import Edge
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reading import defined_in

_LEAVES_OUT = frozenset({Operator.NOT_EQUAL, Operator.NOT_IN, Operator.NOT_CONTAINS})
Names = frozenset[str]
"""Names of which one has to occur, in lower case."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a formula has."""

    columns: tuple[Names, ...] = ()
    tables: tuple[Names, ...] = ()
    """Of which rows are counted."""
    values: tuple[Names, ...] = ()
    """Whose rows count."""
    left_out: tuple[Names, ...] = ()
    """Values of conditions that leave rows out: a statement may say it in either way."""

    def missing(self, tree: exp.Expr) -> list[str]:
        """What a statement does not have, as a model reads it."""
        columns = frozenset(column.name.lower() for column in tree.find_all(exp.Column))
        tables = frozenset(table.name.lower() for table in tree.find_all(exp.Table))
        values = frozenset(literal.name.lower() for literal in tree.find_all(exp.Literal) if not _is_left_out(literal))
        anywhere = frozenset(literal.name.lower() for literal in tree.find_all(exp.Literal))
        kinds = (
            ("column", self.columns, columns), ("table", self.tables, tables), ("value", self.values, values),
            ("value", self.left_out, anywhere),
        )  # fmt: skip
        return [f"{kind} {' or '.join(sorted(wanted))}" for kind, needed, has in kinds for wanted in needed if not wanted & has]


def _is_left_out(literal: exp.Literal) -> bool:
    """The value names a column, or its rows are those that a condition leaves out. What a CASE does with it, nobody knows."""
    if isinstance(literal.parent, exp.Alias | exp.Select):
        return True
    above: exp.Expr | None = literal.parent
    is_denied = False
    while above is not None and not isinstance(above, exp.Query | exp.If):
        is_denied ^= isinstance(above, exp.NEQ | exp.Not)
        above = above.parent
    return is_denied and not isinstance(above, exp.If)


@dataclass(frozen=True, slots=True)
class Expected:
    """A word of the question with its definition."""

    used: UsedDefinition
    needs: tuple[Needs, ...]
    """Of each formula that the word may stand for; one of them has to be met. None: the grammar reads no formula of it."""


def expected_of(floor: Floor, step: ToolStep, source: str) -> tuple[Expected, ...]:
    """What the definitions of the question's words ask of a statement."""
    words = defined_in(floor, step, source, f"{step.understanding.question}\n{step.understanding.words}")
    return tuple(Expected(word.used, tuple(map(_needs, word.figures))) for word in words)


def objection_of(sql: str, dialect: str, expected: Sequence[Expected]) -> str | None:
    """Why a statement does not compute what the words mean. None: it has all that their definitions name, or is no statement."""
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed:
        return None
    for each in expected:
        missing = [needs.missing(tree) for needs in each.needs]
        if missing and all(missing):
            return (
                f'The question\'s word "{each.used.name}" is defined here: {each.used.name} = {each.used.text}. The statement lacks: '
                f"{', '.join(min(missing, key=len))}. Compute it by its definition, with its conditions; a column of a like name is "
                "another thing. If the user means something else by the word, ask."
            )
    return None


def _needs(figure: Figure) -> Needs:
    parts = [part for part in (figure, figure.over) if part is not None]
    edges = [edge for part in parts for edge in (part.of, part.operand) if edge is not None]
    conditions = [condition for part in parts for condition in part.filters]
    columns = [_columns(edge) for edge in edges if edge.kind != "TABLE"] + [found for item in conditions for found in _conditioned(item)]
    values, left_out = (
        [
            frozenset(link.value.lower() for link in value.links)
            for item in conditions
            if (item.operator in _LEAVES_OUT) is leaves_out
            for value in item.values
            if value.kind == "VALUE"
        ]
        for leaves_out in (False, True)
    )
    tables = [frozenset(link.table.rpartition(".")[2].lower() for link in edge.links) for edge in edges if edge.kind == "TABLE"]
    return Needs(tuple(dict.fromkeys(columns)), tuple(dict.fromkeys(tables)), tuple(dict.fromkeys(values)), tuple(dict.fromkeys(left_out)))


def _conditioned(condition: Filter) -> Iterator[Names]:
    edge = condition.column or next(iter(condition.values), None)
    if edge is not None:
        yield _columns(edge)


def _columns(edge: Edge) -> Names:
    return frozenset(link.column.lower() for link in edge.links)
