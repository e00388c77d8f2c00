"""What a database says of a statement that it refuses, read into one shape for all engines."""

from enum import StrEnum

from contracts.base import Contract, Text


class SqlErrorKind(StrEnum):
    """What is wrong, in the same words for all engines."""

    SYNTAX = "syntax"
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_SCHEMA = "unknown_schema"
    UNKNOWN_COLUMN = "unknown_column"
    UNKNOWN_FUNCTION = "unknown_function"
    """No function of this name, or none for arguments of these types."""
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_COLLATION = "unknown_collation"
    AMBIGUOUS_NAME = "ambiguous_name"
    DUPLICATE_NAME = "duplicate_name"
    MISSING_ALIAS = "missing_alias"
    """A query in the FROM clause needs a name."""
    TYPE_MISMATCH = "type_mismatch"
    """Types that do not go together: an operator, a function's argument, the two sides of a set operation."""
    WRONG_ARGUMENTS = "wrong_arguments"
    """The number of arguments, or a value that the function does not take."""
    COLUMN_COUNT = "column_count"
    """Sides of a set operation, a sub-query or an insert with different numbers of columns."""
    NOT_GROUPED = "not_grouped"
    """A column that is neither grouped by nor aggregated."""
    GROUPING = "grouping"
    """GROUP BY, ROLLUP or GROUPING used where or as they cannot be."""
    MISPLACED_AGGREGATE = "misplaced_aggregate"
    WINDOW = "window"
    SUBQUERY = "subquery"
    """A sub-query that is correlated, or yields more, than the engine allows there."""
    PIVOT = "pivot"
    LIMIT = "limit"
    DIVISION_BY_ZERO = "division_by_zero"
    OVERFLOW = "overflow"
    BAD_VALUE = "bad_value"
    """A text that is no value of the type it is to become, or a malformed literal."""
    BAD_PATTERN = "bad_pattern"
    """A regular expression, a LIKE pattern or a format of dates or numbers."""
    OUT_OF_RANGE = "out_of_range"
    """An index or position outside of what there is."""
    UNSUPPORTED = "unsupported"
    PERMISSION = "permission"
    LIMITS = "limits"
    """Time, memory or another limit of the engine."""
    OTHER = "other"


class SqlError(Contract):
    """An engine's message, read."""

    engine: Text
    """Lower case: `postgres`, `sqlite`, `duckdb`, `mysql`, `spark` ... Empty: not known."""
    kind: SqlErrorKind
    engine_class: Text = ""
    """The engine's own class: Spark's error class, an SQLSTATE, MySQL's number. Empty: the message has none."""
    names: tuple[Text, ...] = ()
    """The tables, columns, functions or types that the message speaks of, as it writes them, without quotation marks."""
    near: Text = ""
    """The word or fragment at which the engine stopped."""
    line: int | None = None
    """From 1."""
    column: int | None = None
    """From 1."""
    proposals: tuple[Text, ...] = ()
    """What the engine itself proposes instead, in its order."""
    message: Text = ""
