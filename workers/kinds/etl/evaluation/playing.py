"""A case played: the requirement read, written, reviewed, tried; and what is called done is run on the case's own rows."""

import csv
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from contracts.base import Text
from contracts.pipelines.analysis import Ambiguity, AnalysisResult, EtlClarification, OpenPart
from contracts.pipelines.script import SqlScript
from contracts.pipelines.wishes import Component, Environment
from workers.engines.requirements import RequirementReading, read_requirement
from workers.kinds.etl.evaluation.cases import Case
from workers.kinds.etl.roles.analyst import MOST_ROUNDS
from workers.kinds.etl.rules.answers import with_answers
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.design_review import review_design
from workers.kinds.etl.rules.writing import write_script
from workers.kinds.etl.work.trying import review_scripts, try_scripts

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
"""The moment of every evaluation, so that it can be run again."""
CLOSE = 0.01
MOST_ANSWERS = MOST_ROUNDS
"""Questions that an author answers: as many as the analyst asks."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a requirement."""

    status: Text
    """`done`, `unproved` (done, but the case expects no row and got none, which a wrong script may give as well), `open` (asked or not
    read), `caught` (a review or the trial stopped it), `draft` (the trial
    made no row, or words that may matter were left out)."""
    is_right: bool = False
    reason: Text = ""
    sql: Text = ""
    answers: int = 0
    """Questions of the analyst that the author of the requirement answered."""


def play(case: Case) -> Result:
    """Read, write, review and try a case without a model. Its author answers questions, where the case has answers."""
    text, asked = case.requirement, list[tuple[EtlClarification, str]]()
    while True:
        result = _played(case, text)
        if isinstance(result, Result):
            return replace(result, answers=len(asked))
        reply = _reply(case, result, [answer for _, answer in asked]) if len(asked) < MOST_ANSWERS else ""
        if not reply:
            return Result("open", reason=", ".join(result.unread[:5]), answers=len(asked))
        asked.append((EtlClarification(ambiguities=result.ambiguities, confidence=result.confidence), reply))
        text = with_answers(case.requirement, asked)


def _reply(case: Case, reading: RequirementReading, earlier: Sequence[str]) -> str:
    """What the author says, by what was written with the requirement; empty: nothing. Asked about the same again, the author says what was
    written for that, once; only a sentence that was marked as mere courtesy is left out."""
    point = reading.ambiguities[0] if reading.ambiguities else None
    if point is None or point.part is None:
        return ""
    if point.part in (OpenPart.SENTENCE, OpenPart.WORDS) and all(
        any(words in sentence for words in case.courtesies) for sentence in point.words.split("\n")
    ):
        return "1"
    replied = "\n".join(earlier)
    return next(
        (reply for answers in (case.answers, case.again) if (reply := _said(point, answers, case.answers)) and reply not in replied), ""
    )


def _said(point: Ambiguity, answers: Mapping[str, str], otherwise: Mapping[str, str]) -> str:
    """The answer about an open part. Of several columns, those that `answers` lack are said as before."""
    if point.part is OpenPart.WORDS:
        return "\n".join(f"{name}: {meaning}" for name, meaning in answers.items() if name not in ("row", "rows"))
    if point.part is OpenPart.SENTENCE:
        return answers.get("rows", "")
    if point.part is OpenPart.GRAIN:
        return answers.get("row", "")
    replies = {name: answers.get(name.lower(), "") or otherwise.get(name.lower(), "") for name in point.words.split(", ")}
    return "\n".join(f"{name}: {meaning}" for name, meaning in replies.items()) if all(replies.values()) else ""


def _played(case: Case, text: str) -> Result | RequirementReading:
    """The result; the reading, where it is open."""
    reading = read_requirement(text, case.tables, (), NOW)
    if reading.target is None or reading.unread or reading.ambiguities:
        return reading
    target = reading.target.model_copy(update={"exists": any(table.name == reading.target.table for table in case.tables)})
    analysis = AnalysisResult(
        source="case", summary="", steps=reading.steps, target=target, tables=reading.tables, confidence=reading.confidence,
        requirement=text,
    )  # fmt: skip
    workflow = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known())
    checked = review_design(analysis, workflow, case.tables)
    scripts = [write_script(job_spec(analysis, workflow, job), case.tables) for job in workflow.jobs]
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
    if reading.left_out or trial.stayed_empty:
        return replace(result, status="draft", reason="left out" if reading.left_out else "stayed empty")
    return result


def compared(case: Case, scripts: Sequence[SqlScript], sql: str) -> Result:
    """The scripts run on the rows of the case, and what they leave against what it expects."""
    try:
        rows = _run(case, scripts)
    except duckdb.Error as error:
        return Result("done", reason=str(error).splitlines()[0], sql=sql)
    expected = _expected(case.expected) if isinstance(case.expected, Path) else _asked(case, case.expected)
    if not rows and not expected:
        return Result("unproved", sql=sql)
    return Result("done", is_right=_same(rows, expected), sql=sql)


def _run(case: Case, scripts: Sequence[SqlScript]) -> list[tuple[str | None, ...]]:
    with duckdb.connect(":memory:") as connection:
        for statement in case.setup:
            connection.execute(statement)
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


def _expected(path: Path) -> list[tuple[str | None, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return [tuple(None if value == "\\N" else value for value in row) for row in rows[1:]]


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
