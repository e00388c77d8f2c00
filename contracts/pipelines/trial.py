"""What a trial of scripts yields: they ran in a sandbox on generated data, twice, and were checked."""

from enum import StrEnum

from pydantic import Field, NonNegativeInt

from contracts.base import Contract, Text
from contracts.sql_review import SampleTable
from contracts.statements import Sayable


class CheckKind(StrEnum):
    """What is checked."""

    RUNS = "runs"
    """Every statement runs."""
    GRAIN = "grain"
    """The target's key is unique and has no null."""
    ROWS_KEPT = "rows_kept"
    """No row is lost that the requirement keeps."""
    SECOND_RUN = "second_run"
    """Running it again changes nothing."""
    COLUMNS = "columns"
    """The target has the documented columns, in their order."""
    TYPES = "types"
    LINEAGE = "lineage"
    """Columns come from the tables that the design names."""
    NOT_NULL = "not_null"
    NOT_EMPTY = "not_empty"
    TEMPORARY = "temporary"
    """Temporary tables are gone when the job has ended."""
    INCREMENT = "increment"
    """Late rows arrive."""
    SOURCE = "source"
    """The source plans the queries, without running them."""
    REQUIREMENT = "requirement"
    """No query of the reviewer finds a row that the requirement rules out."""


class CheckStatus(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_TRIED = "not_tried"


class TrialCheck(Contract):
    """A check, with the rows that show a failure."""

    kind: CheckKind
    status: CheckStatus
    job: Text = ""
    """Empty: the whole workflow."""
    text: Sayable
    given: tuple[SampleTable, ...] = ()
    """Input rows that are enough to see it."""
    shown: tuple[SampleTable, ...] = ()
    """What came out, such as the two rows with one key."""


class TrialTable(Contract):
    """A table of generated data."""

    table: Text
    rows: NonNegativeInt
    is_sample: bool = False
    """Rows of the source, not generated."""


class TrialReport(Contract):
    """A trial."""

    engine: Text
    """`duckdb 1.4.1`."""
    dialect: Text
    """Of the scripts."""
    translated: bool = False
    """The scripts were translated into the engine's dialect."""
    seed: int = 0
    runs: NonNegativeInt = 2
    tables: tuple[TrialTable, ...] = ()
    target_rows: NonNegativeInt = 0
    checks: tuple[TrialCheck, ...] = ()
    not_tried: tuple[Sayable, ...] = ()
    """What could not be tried, and why."""
    sample: SampleTable | None = Field(default=None)
    """A few rows of the target."""

    @property
    def failures(self) -> tuple[TrialCheck, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.status is CheckStatus.FAILED)

    @property
    def has_run(self) -> bool:
        """It ran, and no check failed."""
        return any(check.kind is CheckKind.RUNS and check.status is CheckStatus.PASSED for check in self.checks) and not self.failures

    @property
    def stayed_empty(self) -> bool:
        """No row set gave the target a row, so that the other checks saw none."""
        return any(check.kind is CheckKind.NOT_EMPTY and check.status is CheckStatus.NOT_TRIED for check in self.checks)
