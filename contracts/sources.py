"""Sources: the users' databases, who may see what in them, and what was run on them.

The URL of a source is in none of these: it comes from the environment of the process that opens the source.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, NonNegativeInt, StrictBool, StringConstraints, model_validator

from contracts.base import Contract, Text

EVERYONE = "*"
"""In the place of an owner: every owner."""

SourceName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""Short, lower case: it becomes a part of the name of an environment variable."""


class SourceKind(StrEnum):
    """The engine behind a source."""

    DUCKDB = "duckdb"
    SQLITE = "sqlite"
    POSTGRES = "postgres"
    MYSQL = "mysql"
    TRINO = "trino"
    CLICKHOUSE = "clickhouse"


class Lock(StrEnum):
    """What is between a statement and a source, in this order."""

    PARSED = "parsed"
    KNOWN = "known"
    POLICIES = "policies"
    READ_ONLY = "read_only"
    LIMITS = "limits"


class Verdict(StrEnum):
    """What a lock did with a statement."""

    PASSED = "passed"
    REWRITTEN = "rewritten"
    """Policies were written into the statement."""
    CUT = "cut"
    """The result was cut at its limit of rows or bytes."""
    REFUSED = "refused"
    NOT_REACHED = "not_reached"


class SourceLimits(Contract):
    """What one statement may use."""

    timeout_s: float = Field(default=30.0, gt=0, le=3600, strict=True)
    """Seconds from the connection to the last row. The statement is then cancelled at the server."""
    rows: int = Field(default=10_000, ge=1, le=10_000_000, strict=True)
    """Rows of a result; the rest is not fetched, and the result says that it was cut."""
    result_bytes: int = Field(default=10 << 20, ge=1_000, le=1 << 30, strict=True)
    """Bytes of a result, counted on its values; the rest is not fetched either."""
    cost: float | None = Field(default=None, gt=0, strict=True)
    """Greatest cost by the engine's own estimate, in its own unit. Postgres and MySQL estimate one; None: no limit."""


class SourcePolicy(Contract):
    """What an owner may see of one table or view. The policies of an owner and of everyone apply together."""

    owner: Annotated[Text, StringConstraints(min_length=1, max_length=200)]
    """Whom it binds, or `*` for everyone."""
    table: Annotated[Text, StringConstraints(min_length=1, max_length=400)]
    """As the source names it: `orders` or `sales.orders`."""
    predicate: Annotated[Text, StringConstraints(min_length=1, max_length=4_000)] | None = None
    """Rows that may be seen: a condition over the table's own columns, in the source's dialect. `:owner` is the owner of the job."""
    hidden: tuple[Annotated[Text, StringConstraints(min_length=1, max_length=200)], ...] = ()
    """Columns that are not there for this owner."""
    denied: StrictBool = False
    """The whole table is not there for this owner."""
    exempt: StrictBool = False
    """The policies of everyone on this table do not bind this owner."""

    @model_validator(mode="after")
    def _says_something(self) -> "SourcePolicy":
        if not (self.predicate or self.hidden or self.denied or self.exempt):
            raise ValueError("a policy needs a predicate, hidden columns, denied or exempt")
        if self.exempt and self.owner == EVERYONE:
            raise ValueError("a policy of everyone cannot be an exemption: name an owner")
        return self


class Source(Contract):
    """A named database or folder of files."""

    name: SourceName
    kind: SourceKind
    limits: SourceLimits = SourceLimits()
    owners: tuple[Annotated[Text, StringConstraints(min_length=1, max_length=200)], ...] = ()
    """Who may query it. Empty: everyone."""
    insisted: StrictBool = False
    """The operator accepted an account that could write, or whose rights cannot be verified."""
    sample: StrictBool = False
    """The shop that comes with this release; its file is in the data folder of `bullpen up`."""

    def is_open_to(self, owner: str) -> bool:
        """Whether an owner is among its owners, or everyone is."""
        return not self.owners or owner in self.owners


class LockVerdict(Contract):
    """What one lock did."""

    lock: Lock
    verdict: Verdict
    reason: Text | None = None


class QueryResult(Contract):
    """What a statement gave, as JSON values."""

    source: SourceName
    columns: tuple[str, ...]
    types: tuple[str, ...]
    """The engine's name for each column's type; empty text where it gives none."""
    rows: tuple[tuple[Any, ...], ...]
    cut: str | None = None
    """`rows` or `bytes` when there was more; None: this is everything."""
    result_bytes: NonNegativeInt
    duration_ms: NonNegativeInt
    statement: str
    """What was run, policies included."""
    execution_id: int
    """The audit row."""
    locks: tuple[LockVerdict, ...]


class Execution(Contract):
    """An audit row: one statement of one owner, and what became of it."""

    id: int
    source: str
    owner: str
    job_id: UUID | None = None
    step_id: UUID | None = None
    statement_hash: str
    statement: str
    """As it was given, at most `STATEMENT_KEPT` characters."""
    started_at: datetime
    rows: NonNegativeInt | None = None
    result_bytes: NonNegativeInt | None = None
    duration_ms: NonNegativeInt | None = None
    """None: the process ended before the statement did."""
    locks: tuple[LockVerdict, ...] = ()
    error: str | None = None


STATEMENT_KEPT = 20_000
"""Characters of a statement in its audit row. Longer ones than `STATEMENT_MAX` are refused; the hash is of the whole."""
STATEMENT_MAX = 100_000
"""Characters of a statement that is looked at at all."""
