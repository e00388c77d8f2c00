"""What a review of SQL yields: defects, each with a small example on which the statement is seen to be wrong, if one was found."""

from enum import StrEnum

from contracts.base import Contract, Text
from contracts.statements import Statement

Cell = Text | None
"""A value as text; None: null."""


class WriteMode(StrEnum):
    """How a script is to leave its target."""

    OVERWRITE = "overwrite"
    APPEND = "append"
    UPSERT = "upsert"
    HISTORY = "history"
    """A change closes the row that holds and opens another (a slowly changing dimension of type 2)."""


class ReviewTarget(Contract):
    """What a script is to produce, as far as it is known."""

    table: Text
    columns: tuple[Text, ...] = ()
    """Empty: not known."""
    key: tuple[Text, ...] = ()
    """Columns of which no two rows have the same values. Empty: not known."""
    mode: WriteMode | None = None
    keeps_all: Text = ""
    """The table of which every row, by its key, has a row in the result. Empty: not said."""
    only: tuple[tuple[Text, Text], ...] = ()
    """(table, condition in SQL): rows for which it does not hold change nothing in the result."""
    totals: tuple[tuple[Text, Text], ...] = ()
    """(column, query in SQL): what the column of all rows adds up to, as its definition says; a query that also yields columns of the key
    says what the column is for each of its rows."""
    late_days: int = 0
    """Rows may arrive up to this number of days after their own day, and count then. 0: not said."""


class Defect(StrEnum):
    """Families of defects that a review looks for."""

    FAN_OUT = "fan_out"
    COUNTED_TWICE = "counted_twice"
    """COUNT of a key after a join that repeats its rows."""
    NULL_NOT_IN = "null_not_in"
    NULL_COMPARED = "null_compared"
    NULL_FILTERED = "null_filtered"
    """`<>` leaves out rows without a value, and the requirement speaks of them."""
    NULL_CHANGE = "null_change"
    """A change to or from null is not seen."""
    OUTER_JOIN_UNDONE = "outer_join_undone"
    COUNTED_UNMATCHED = "counted_unmatched"
    """COUNT(*) counts the row of an outer join that found nothing."""
    NULL_INSTEAD_OF_ZERO = "null_instead_of_zero"
    NULL_IGNORED = "null_ignored"
    """An aggregate leaves out the rows in which its column is null."""
    AVERAGE_OF_AVERAGES = "average_of_averages"
    """Averages or ratios of groups are averaged, so that a small group weighs as much as a large one."""
    DISTINCT_ADDED = "distinct_added"
    """Distinct counts of groups are added up: who is in two groups counts twice."""
    INTEGER_DIVISION = "integer_division"
    LAST_DAY_LOST = "last_day_lost"
    BOUND_COUNTED_TWICE = "bound_counted_twice"
    """BETWEEN includes the first instant of the next period."""
    TIME_ZONE = "time_zone"
    BOUNDARY = "boundary"
    """`>=` where the requirement says more than, or the other way round."""
    PARTITION_MISSING = "partition_missing"
    DISTINCT_HIDES_JOIN = "distinct_hides_join"
    TIES = "ties"
    """Which of several equal rows comes first is left to chance."""
    DELETED_KEPT = "deleted_kept"
    """The requirement leaves out what was deleted, and the script never looks at the column that says so."""
    FRAME_LENGTH = "frame_length"
    """A window over another number of days than the requirement says."""
    FILTERED_BEFORE_LATEST = "filtered_before_latest"
    """Rows are left out before the latest is chosen: an older state comes back."""
    WINDOW_NOT_PARTITIONED = "window_not_partitioned"
    ROWS_NOT_DAYS = "rows_not_days"
    """A window counts rows where calendar days are meant; days without rows are missing."""
    AS_OF_JOIN = "as_of_join"
    """Joined on the same day where the latest one before is meant."""
    ROWS_LOST = "rows_lost"
    ROWS_MISSING = "rows_missing"
    """Rows that the request keeps have no row in the result."""
    ROWS_LEFT_OUT = "rows_left_out"
    """Rows that are to count are left out by a condition on the same columns."""
    NULL_NAMED = "null_named"
    """The query names a value for what is missing, and lets no row without a value through."""
    FRAME_ENDS_HERE = "frame_ends_here"
    """LAST_VALUE without a frame gives the value of the current row."""
    DAY_AS_MIDNIGHT = "day_as_midnight"
    """A time compared with a day counts the hours of that day as later."""
    TEXT_AS_NUMBER = "text_as_number"
    """Numbers kept as text are compared by their letters."""
    ROWS_NOT_LEFT_OUT = "rows_not_left_out"
    """Rows that are not to count change the result."""
    TOTAL_DIFFERS = "total_differs"
    """A column adds up to something else than its definition gives."""
    NOT_AS_AT_ONCE = "not_as_at_once"
    """Rows that come later are not written as if they had been there from the start."""
    LATE_ROWS = "late_rows"
    DAY_OF_RUN = "day_of_run"
    """Only rows of the day of the run are read: one that arrives later is never read."""
    OLDER_OVERWRITES = "older_overwrites"
    """An upsert lets an older row replace a newer one."""
    DOUBLED_BY_SECOND_RUN = "doubled_by_second_run"
    HISTORY_BOUND = "history_bound"
    """On the day of a change, two versions of a history fit."""
    HISTORY_OVERLAPS = "history_overlaps"
    TRUNCATED = "truncated"
    COLUMN_MISSING = "column_missing"
    GRAIN = "grain"
    UNKNOWN_NAME = "unknown_name"
    NOT_RUN = "not_run"
    """The engine refuses the script."""


class Severity(StrEnum):
    """How much weight a finding has."""

    BLOCKER = "blocker"
    """A counterexample was run: the statement gives a wrong result."""
    WARNING = "warning"


class SqlPlace(Contract):
    """Where something is in a script."""

    statement: int
    """Number of the statement, from 1."""
    line: int
    column: int
    start: int
    """Offset in the statement's text."""
    end: int


class SampleTable(Contract):
    """A few rows of a table, or a result."""

    name: Text
    """Empty: the result of a query."""
    columns: tuple[Text, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Counterexample(Contract):
    """Rows on which the statement is wrong. All of it was run."""

    rounds: tuple[tuple[SampleTable, ...], ...]
    """The tables before each run of the script; mostly one run. Empty tables are left out."""
    given: SampleTable
    """What the statement gives: only the rows that differ, unless all do."""
    meant: SampleTable | None = None
    """What it gives with the correction. None: the result is wrong by itself, as two rows with one key are."""


class SqlFinding(Contract):
    """A defect of a script."""

    defect: Defect
    severity: Severity
    place: SqlPlace | None
    summary: Statement
    """What is wrong, with the names involved."""
    advice: Statement
    """How to do it right."""
    counterexample: Counterexample | None = None


class ReviewCheck(StrEnum):
    """What a review looks at."""

    NAMES = "names"
    JOINS = "joins"
    NULLS = "nulls"
    TIMES = "times"
    WINDOWS = "windows"
    NUMBERS = "numbers"
    GRAIN = "grain"
    ROWS_KEPT = "rows_kept"
    ROWS_COUNTED = "rows_counted"
    TOTALS = "totals"
    LATER_RUNS = "later_runs"


class SqlReview(Contract):
    """A review of a script."""

    findings: tuple[SqlFinding, ...]
    """Blockers first, then in the order of the text."""
    checked: tuple[ReviewCheck, ...] = ()
    """What was looked at, and tried on rows where that is needed."""
    not_checked: tuple[ReviewCheck, ...] = ()
    """What was not: the request does not say what would be right, or the sandbox does not run the script."""

    @property
    def blockers(self) -> tuple[SqlFinding, ...]:
        """What must be mended before the script may go on."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.BLOCKER)
