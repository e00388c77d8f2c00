"""What the developer of `etl` yields for a job: its SQL, where each column comes from, and what it was adapted from."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Text
from contracts.phrases import UsedPhrase
from contracts.pipelines.analysis import Demand, Origin
from contracts.pipelines.review import Verdict
from contracts.pipelines.workflow import JobId
from contracts.statements import Sayable

LEAST_CHARACTERS = 20
"""A script that is shorter, or does not begin as SQL that reads or writes, is refused (BEHAVIOURS 1.4)."""


CLARIFY_SCRIPT_BELOW = 0.8
"""Confidence below which a script that has issues is asked about (BEHAVIOURS 1.4)."""


class ColumnLineage(Contract):
    """A column of the target and the columns that it is computed from."""

    column: Text
    origins: tuple[tuple[Text, Text], ...] = ()
    """Table by its full name, column. Empty: a constant, or a count of rows."""


class Adapted(Contract):
    """A known query from which the script was made."""

    place: Text
    """As `get_query` takes it."""
    sql: Text
    confirmed: bool = False
    diff: Text = ""
    """Unified diff from the query to the script's SELECT."""


class SqlScript(Contract):
    """The script of a job."""

    job: JobId
    dialect: Text
    statements: tuple[Text, ...]
    """In the order in which they run, each without a semicolon. Running all of them again leaves the target as it is."""
    target: Text
    reads: tuple[Text, ...] = ()
    """Tables that it reads and does not make itself."""
    temporary: tuple[Text, ...] = ()
    """Tables that it makes and drops."""
    lineage: tuple[ColumnLineage, ...] = ()
    says: tuple[Sayable, ...] = ()
    """What it does, in words."""
    adapted: Adapted | None = None
    written_by: Origin = Origin.RULES
    uses: tuple[UsedPhrase, ...] = ()
    """What a model made of the requirement's phrases."""
    not_used: tuple[Text, ...] = ()
    """Phrases of the requirement that have no part in the script."""
    meets: tuple[Demand, ...] = ()
    """Demands of the requirement that it meets, as far as that was checked."""
    issues: tuple[Sayable, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)
    same_again: bool = False
    """Its author was shown what speaks against it, and gave the same statements again."""
    verdict: Verdict | None = None
    """Of the author's own attempt, where it is the only script: the reviewer takes it if it rests on what is there now. Not in packages."""

    @property
    def sql(self) -> str:
        """The whole script."""
        return "".join(f"{statement};\n\n" for statement in self.statements).rstrip("\n") + "\n"


class ScriptQuestion(Contract):
    """The developer's question about a script of which its author is not sure."""

    kind: Literal["etl_script_question"] = "etl_script_question"
    job: JobId
    issues: tuple[Sayable, ...]
    confidence: float = Field(ge=0, le=1)


class WriteQuestion(Contract):
    """The question whether the scripts of a package may be run in the source. The answer names the hash."""

    kind: Literal["etl_write_question"] = "etl_write_question"
    source: Text
    script_hash: Text
    statements: int = Field(ge=0, le=100_000)


class WriteResult(Contract):
    """What became of the scripts in the source."""

    source: Text
    script_hash: Text
    is_written: bool
    ran_before: bool = False
    """They had run in an earlier attempt, so nothing was done now."""
    headline: Sayable
