"""A case played: the requirement read, written, reviewed, tried; and what is called done is run on the case's own rows."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import duckdb
from sqlglot import exp

from contracts.base import Text
from contracts.pipelines.analysis import AnalysisResult, Origin
from contracts.pipelines.script import SqlScript
from contracts.pipelines.wishes import Component, Environment
from contracts.tables import TableDetail
from workers.engines.requirements import closed_form, read_closed
from workers.kinds.base import WrongSpec
from workers.kinds.etl.evaluation.cases import Case
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import JobSpec, job_spec
from workers.kinds.etl.rules.design_review import review_design
from workers.kinds.etl.rules.specification import analysis_in, faults_text
from workers.kinds.etl.rules.writing import script_of, write_script, written_query
from workers.kinds.etl.work.trying import review_scripts, try_scripts
from workers.saying import text_of

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
"""The moment of every evaluation, so that it can be run again."""
DIALECT = "duckdb"
CLOSE = 0.01
"""The difference of two numbers that are taken to be equal."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a requirement."""

    status: Text
    """`done`, `unproved` (done, but the case expects no row and got none, which a wrong script may give as well), `open` (not read),
    `caught` (a review or the trial stopped it), `draft` (the trial made no row)."""
    is_right: bool = False
    reason: Text = ""
    sql: Text = ""


def play(case: Case) -> Result:
    """Read, write, review and try a case without a model."""
    analysis = _read(case)
    if isinstance(analysis, Result):
        return analysis
    workflow = design(analysis, Component.SQL, Environment.DEV, DIALECT, Known())
    checked = review_design(analysis, workflow, case.tables)
    scripts = [_script(job_spec(analysis, workflow, job), case.tables) for job in workflow.jobs]
    sql = "".join(script.sql for script in scripts)
    if not checked.passed:
        return Result("caught", reason=str(checked.issues[0].rule), sql=sql)
    issues = review_scripts(analysis, workflow, scripts, case.tables).issues
    if issues:
        return Result("caught", reason=str(issues[0].finding.defect if issues[0].finding else issues[0].text), sql=sql)
    trial = try_scripts(analysis, workflow, scripts, case.tables)
    if not trial.has_run:
        return Result("caught", reason=", ".join(check.kind for check in trial.failures), sql=sql)
    result = compared(case, scripts, sql)
    return replace(result, status="draft", reason="stayed empty") if trial.stayed_empty else result


def _read(case: Case) -> AnalysisResult | Result:
    """The specification or the closed form; `open`: it is neither, or not all of it is read."""
    if case.spec:
        try:
            return analysis_in(case.spec, "case", DIALECT, case.tables)
        except WrongSpec as wrong:
            return Result("open", reason=text_of(faults_text(wrong.faults), "en"))
    form = closed_form(case.requirement)
    reading = read_closed(form, case.tables, (), NOW) if form is not None else None
    if reading is None or reading.target is None or reading.ambiguities:
        return Result("open", reason=", ".join(reading.unread[:5]) if reading is not None else "")
    target = reading.target.model_copy(update={"exists": any(table.name == reading.target.table for table in case.tables)})
    return AnalysisResult(
        source="case", summary="", steps=reading.steps, target=target, tables=reading.tables, confidence=reading.confidence,
        requirement=case.requirement,
    )  # fmt: skip


def _script(spec: JobSpec, tables: Sequence[TableDetail]) -> SqlScript:
    """The script of a job: of its typed steps, or of the query that a specification gives."""
    if not spec.sql:
        return write_script(spec, tables)
    statements, temporary = written_query(spec.sql, spec, tables)
    return script_of(spec, statements, tables, temporary=temporary, written_by=Origin.HUMAN)


def compared(case: Case, scripts: Sequence[SqlScript], sql: str) -> Result:
    """The scripts run on the rows of the case, and what they leave against what it expects."""
    try:
        rows = _run(case, scripts)
    except duckdb.Error as error:
        return Result("done", reason=str(error).splitlines()[0], sql=sql)
    expected = _asked(case, case.expected)
    if not rows and not expected:
        return Result("unproved", sql=sql)
    return Result("done", is_right=_same(rows, expected), sql=sql)


def _run(case: Case, scripts: Sequence[SqlScript]) -> list[tuple[str | None, ...]]:
    with duckdb.connect(":memory:") as connection:
        for statement in case.setup:
            connection.execute(statement)
        for schema in {exp.to_table(script.target, dialect=DIALECT).db for script in scripts} - {""}:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {exp.to_identifier(schema, quoted=True).sql(DIALECT)}")
        for change in ((), *case.changes):
            for statement in (*change, *(item for script in scripts for item in script.statements)):
                connection.execute(statement)
        found = connection.table(scripts[-1].target)
        return _texts(found.fetchall())


def _asked(case: Case, query: str) -> list[tuple[str | None, ...]]:
    """The rows that the case's own query gives, after all changes."""
    with duckdb.connect(":memory:") as connection:
        for statement in (*case.setup, *(statement for change in case.changes for statement in change)):
            connection.execute(statement)
        return _texts(connection.execute(query).fetchall())


def _texts(rows: Sequence[Sequence[object]]) -> list[tuple[str | None, ...]]:
    return [tuple(None if value is None else str(value) for value in row) for row in rows]


def _same(found: list[tuple[str | None, ...]], expected: list[tuple[str | None, ...]]) -> bool:
    """The same rows, in any order: numbers within a hundredth, moments to the second."""
    if len(found) != len(expected):
        return False
    rest = sorted(expected, key=_rough)
    return all(_equal_rows(left, right) for left, right in zip(sorted(found, key=_rough), rest, strict=True)) or _match(found, expected)


def _match(found: list[tuple[str | None, ...]], expected: list[tuple[str | None, ...]]) -> bool:
    if len(found) > 3_000:
        return False
    waiting = list(expected)
    for row in found:
        place = next((at for at, other in enumerate(waiting) if _equal_rows(row, other)), None)
        if place is None:
            return False
        waiting.pop(place)
    return Counter(map(len, found)) == Counter(map(len, expected))


def _rough(row: tuple[str | None, ...]) -> tuple[str, ...]:
    return tuple(
        "" if value is None else f"{number:.1f}" if (number := _number(value)) is not None else value.lower()[:19] for value in row
    )


def _equal_rows(left: tuple[str | None, ...], right: tuple[str | None, ...]) -> bool:
    return len(left) == len(right) and all(_equal(a, b) for a, b in zip(left, right, strict=True))


def _equal(left: str | None, right: str | None) -> bool:
    if left is None or right is None:
        return left is right
    a, b = _number(left), _number(right)
    if a is not None and b is not None:
        return math.isclose(a, b, abs_tol=CLOSE)
    return left.lower()[:19].removesuffix(" 00:00:00") == right.lower()[:19].removesuffix(" 00:00:00")


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
