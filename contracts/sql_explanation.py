"""What a statement computes, in words."""

from enum import StrEnum

from contracts.base import Contract, Text
from contracts.statements import Statement


class ClauseKind(StrEnum):
    """The part of a query that a sentence is about."""

    WRITES = "writes"
    GRAIN = "grain"
    """What a row of the result is."""
    SOURCE = "source"
    JOIN = "join"
    FILTER = "filter"
    GROUP = "group"
    HAVING = "having"
    RESULT = "result"
    DISTINCT = "distinct"
    QUALIFY = "qualify"
    SET = "set"
    """How the results of several queries are put together."""
    ORDER = "order"
    LIMIT = "limit"
    OTHER = "other"


class QueryRole(StrEnum):
    """What a query is to the statement."""

    MAIN = "main"
    CTE = "cte"
    DERIVED = "derived"
    """A query in brackets in a FROM clause."""
    SUBQUERY = "subquery"
    """A query inside of an expression."""
    PART = "part"
    """A side of a set operation."""


class ExplainedClause(Contract):
    """A sentence about a part of a query."""

    kind: ClauseKind
    text: Statement


class ExplainedQuery(Contract):
    """A query of the statement, in words."""

    role: QueryRole
    name: Text = ""
    """Of a CTE or a query in a FROM clause: its name; of a sub-query or a part: its number. Empty: the main query."""
    title: Statement
    clauses: tuple[ExplainedClause, ...]


class SqlExplanation(Contract):
    """What a statement computes: its queries, those first that others read."""

    dialect: Text
    queries: tuple[ExplainedQuery, ...]
    traps: tuple[Statement, ...] = ()
    """What a review found that may surprise."""
